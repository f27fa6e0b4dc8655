package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/transfer/rows"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
)

// ErrNoData is returned for a file with data that is to change a site. Its text may be shown.
var ErrNoData = errors.New("data are imported only into a site that is new here: --as KEY makes another")

const (
	// turnPause is how often it is looked whether nobody is erased, nor visits are deleted, any more.
	turnPause = time.Second
	// takeBackTime is how long taking back may take that is done although the command was stopped.
	takeBackTime = 10 * time.Minute
)

// Progress is told how an import comes on. Its fields are functions that may be called at any time.
type Progress struct {
	// Wait is called when something else has to end first.
	Wait func()
	// Undo is called before something is taken back.
	Undo func()
	// Rows is called now and then with how many rows are there.
	Rows func(rows int64)
}

// ImportData makes a new site of a file with data. Until all is there, the site is treated as retired. What goes wrong has
// everything taken back, and so has ctx when it ends; an import that was killed is taken back by the next one of the key.
// While data come, nobody is erased and no visits are deleted. The error may be [site.ErrTaken].
func (s Subjects) ImportData(ctx context.Context, f *File, key string, tell Progress) (done Imported, err error) {
	c, known, err := s.ready(ctx, f, key)
	if err != nil {
		return Imported{}, err
	}
	err = s.alone(ctx, tell, func(ctx context.Context) error {
		if _, err := s.takeBack(ctx, key, tell); err != nil {
			return err
		}
		done, err = s.arrive(ctx, f, key, c, known, tell)
		if err == nil {
			return nil
		}
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), takeBackTime)
		defer stop()
		if _, failed := s.takeBack(ending, key, tell); failed != nil {
			return errors.Join(err, fmt.Errorf("the site stays retired, with a part of its data, until this is done again: %w", failed))
		}
		return err
	})
	if err != nil {
		return Imported{}, fmt.Errorf("importing a site: %w", err)
	}
	return done, nil
}

// arrive makes the site, adds its data, and has it served.
func (s Subjects) arrive(ctx context.Context, f *File, key string, c content, known []operator.Operator, tell Progress) (done Imported, err error) {
	var taken rows.Taken
	err = s.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
		if done, err = s.put(ctx, tx, f, key, false, c, known); err != nil {
			return err
		}
		if err := s.Sites.Arrive(ctx, tx, done.siteID); err != nil {
			return err
		}
		taken, err = rows.Take(ctx, s.DB, tx, *f.Data, time.Now())
		return err
	})
	if err != nil {
		return Imported{}, err
	}
	accounts := make(map[string]int64, len(known))
	for _, o := range known {
		accounts[o.Login] = o.ID
	}
	added, err := rows.Store{DB: s.DB, Keys: s.Keys, SiteID: done.siteID, Taken: taken, Heads: *f.Data, Groups: done.groups, Accounts: accounts, Tell: tell.Rows}.Add(ctx, f.data)
	if err == nil {
		err = s.Leads.CheckMerges(ctx, done.siteID)
	}
	if err == nil {
		err = s.Leads.Index(ctx)
	}
	if err == nil {
		err = s.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error { return site.Arrived(ctx, tx, done.siteID) })
	}
	done.Data = &added
	return done, err
}

// ErrNotBroken is returned for a site of which no import has broken off. Its text may be shown.
var ErrNotBroken = errors.New("no import of this site has broken off")

// TakeBack removes the site of the key of which an import has broken off. The error may be [ErrNotBroken].
func (s Subjects) TakeBack(ctx context.Context, key string, tell Progress) error {
	return s.alone(ctx, tell, func(ctx context.Context) error {
		found, err := s.takeBack(ctx, key, tell)
		if err == nil && !found {
			err = ErrNotBroken
		}
		return err
	})
}

// takeBack is TakeBack while nothing else is under way; found is false if there is nothing to take back.
func (s Subjects) takeBack(ctx context.Context, key string, tell Progress) (found bool, err error) {
	id, err := s.Sites.Arriving(ctx, key)
	if err != nil || id == 0 {
		return false, err
	}
	tell.Undo()
	if err := rows.Remove(ctx, s.DB, id); err != nil {
		return true, fmt.Errorf("taking an import back: %w", err)
	}
	err = s.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error { return site.Gone(ctx, tx, id) })
	if err != nil {
		return true, fmt.Errorf("taking an import back: %w", err)
	}
	return true, nil
}

// alone has do done while nobody is erased and no visits are deleted, nor another import is under way. It waits for that.
func (s Subjects) alone(ctx context.Context, tell Progress, do func(context.Context) error) error {
	turn := func(ctx context.Context, duty string, do func(context.Context) error) error {
		for told := false; ; told = true {
			mine, err := duties.Do(ctx, s.DB, duty, do)
			if mine || err != nil {
				return err
			}
			if !told {
				tell.Wait()
			}
			if !aside.Sleep(ctx, turnPause) {
				return ctx.Err()
			}
		}
	}
	return turn(ctx, person.Duty, func(ctx context.Context) error { return turn(ctx, retain.Duty, do) })
}

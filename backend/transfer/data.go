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
	"github.com/seed-3405227d/frontdesk/backend/report/keeper"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/transfer/rows"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
)

// ErrNoData is returned for a file with data that is to change a site. Its text may be shown.
var ErrNoData = errors.New("data are imported only into a site that is new here: --as KEY makes another")

const (
	// turnPause is how often it is looked whether nobody is erased, nor visits are deleted, any more.
	turnPause = time.Second
	// turnTime is how long a turn lasts at least that is not renewed any more, less some seconds.
	turnTime = 15 * time.Second
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
	left, served := false, false
	err = s.alone(ctx, tell, func(ctx context.Context) error {
		before, err := s.Sites.Arriving(ctx, key)
		if err == nil && before != 0 {
			_, err = s.takeBack(ctx, before, tell)
		}
		if err != nil {
			return err
		}
		if done, err = s.arrive(ctx, f, key, c, known, tell); err == nil || done.siteID == 0 {
			return err
		}
		// The error may be that of a transaction that has come to pass. The site is this import's own, whatever has the key now.
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), turnTime)
		defer stop()
		var failed error
		left, served, failed = s.leave(ending, done.siteID)
		return stays(err, failed)
	})
	switch {
	case served && done.Data != nil:
		return done, nil
	case left: // the turn has ended with ctx
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), takeBackTime)
		defer stop()
		err = stays(err, s.alone(ending, tell, func(ctx context.Context) error { return s.remove(ctx, done.siteID, tell) }))
	}
	if err != nil {
		return Imported{}, fmt.Errorf("importing a site: %w", err)
	}
	return done, nil
}

// stays is err, and that taking back has failed.
func stays(err, failed error) error {
	if failed == nil {
		return err
	}
	return errors.Join(err, fmt.Errorf("the site stays retired, with a part of its data, until this is done again: %w", failed))
}

// arrive makes the site, adds its data, and has it served. What it returns with an error names a site that there may be.
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
		return done, err
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
		id, err := s.Sites.Arriving(ctx, key)
		if err != nil {
			return err
		}
		found := false
		if id != 0 {
			found, err = s.takeBack(ctx, id, tell)
		}
		if err == nil && !found {
			err = ErrNotBroken
		}
		return err
	})
}

// takeBack removes the site while nothing else is under way; found is false if it is not arriving.
func (s Subjects) takeBack(ctx context.Context, id int64, tell Progress) (found bool, err error) {
	if found, _, err = s.leave(ctx, id); err == nil && found {
		err = s.remove(ctx, id, tell)
	}
	return found, err
}

// leave is [site.Leave].
func (s Subjects) leave(ctx context.Context, id int64) (leaving, served bool, err error) {
	err = s.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
		leaving, served, err = site.Leave(ctx, tx, id)
		return err
	})
	if err != nil {
		return false, false, fmt.Errorf("taking an import back: %w", err)
	}
	return leaving, served, nil
}

// remove removes the site, which leaves, while nothing else is under way.
func (s Subjects) remove(ctx context.Context, id int64, tell Progress) error {
	tell.Undo()
	err := rows.Remove(ctx, s.DB, id, func(ctx context.Context, do func(context.Context) error) error {
		return s.turn(ctx, keeper.Duty, tell, do)
	})
	if err == nil {
		err = s.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error { return site.Gone(ctx, tx, id) })
	}
	if err != nil {
		return fmt.Errorf("taking an import back: %w", err)
	}
	return nil
}

// alone has do done while nobody is erased and no visits are deleted, nor another import is under way. It waits for that.
func (s Subjects) alone(ctx context.Context, tell Progress, do func(context.Context) error) error {
	return s.turn(ctx, person.Duty, tell, func(ctx context.Context) error { return s.turn(ctx, retain.Duty, tell, do) })
}

// turn has do done while nobody else has the duty. It waits for that.
func (s Subjects) turn(ctx context.Context, duty string, tell Progress, do func(context.Context) error) error {
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

package person

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

const (
	// Duty is the [db.DB.Duty] of erasing: while somebody else has it, nobody is erased. It is also the topic of what there
	// is to erase.
	Duty = "erasing"
	// piecePause is the least time between two pieces, in which others write. It is pieceShare times as long as the
	// last one took.
	piecePause = 10 * time.Millisecond
	pieceShare = 3
	// lookPause is how often it is looked without a wake.
	lookPause = time.Minute
	// maxPasses bounds how often it is looked again for what came while the person was being erased.
	maxPasses = 20
)

// Run erases what was asked for, until ctx ends.
func (p *Persons) Run(ctx context.Context) {
	asked, forget := p.db.Subscribe(Duty)
	defer forget()
	for ctx.Err() == nil {
		if err := p.EraseAsked(ctx); err != nil && ctx.Err() == nil {
			p.logger.Warn("erasing a person failed; it is tried again", zap.Error(err))
		}
		select {
		case <-ctx.Done():
		case <-asked:
		case <-time.After(lookPause):
		}
	}
}

// EraseAsked erases what was asked for, unless another node does. Run calls it by itself.
func (p *Persons) EraseAsked(ctx context.Context) error {
	asked, err := p.erasures(ctx, `WHERE ended_at = 0 ORDER BY id`)
	if err != nil || len(asked) == 0 {
		return err
	}
	_, err = duties.Do(ctx, p.db, Duty, func(ctx context.Context) error {
		for len(asked) > 0 {
			for _, e := range asked {
				if err := p.erase(ctx, e); err != nil {
					return err
				}
			}
			if asked, err = p.erasures(ctx, `WHERE ended_at = 0 ORDER BY id`); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// erase erases one person: what the marks lead to, what names the person in its texts, and then what has come
// meanwhile, until nothing is left.
func (p *Persons) erase(ctx context.Context, e Erasure) error {
	for pass := 0; ; pass++ {
		given, err := p.marksOf(ctx, e)
		if err != nil {
			return err
		}
		erased, err := p.eraseFrom(ctx, e, given)
		if err != nil {
			return err
		}
		named, err := p.eraseNamed(ctx, e, namesOf(given))
		if err != nil {
			return err
		}
		if erased+named == 0 || pass == maxPasses {
			break
		}
	}
	for _, s := range p.subjects {
		if s.Scrub == nil {
			continue
		}
		if err := s.Scrub(ctx); err != nil {
			return err
		}
	}
	if err := p.end(ctx, e); err != nil {
		return err
	}
	return p.db.Scrub(ctx)
}

// eraseFrom erases all to which the marks lead.
func (p *Persons) eraseFrom(ctx context.Context, e Erasure, given []trace.Mark) (erased int64, err error) {
	marks, err := p.follow(ctx, e.Sites, given)
	if err != nil {
		return 0, err
	}
	if err := p.keepMarks(ctx, e, marks); err != nil {
		return 0, err
	}
	err = p.each(marks, func(t trace.Table, m trace.Mark) error {
		for {
			began := time.Now()
			n, err := p.piece(ctx, e, t, m)
			erased += n
			if n == 0 || err != nil {
				return err
			}
			if !aside.Sleep(ctx, max(piecePause, pieceShare*time.Since(began))) {
				return ctx.Err()
			}
		}
	})
	return erased, err
}

// eraseNamed erases what names the person in its texts. It rests as long as it has read.
func (p *Persons) eraseNamed(ctx context.Context, e Erasure, n names) (erased int64, err error) {
	whole := newMarks(e.Sites)
	began := time.Now()
	err = p.named(ctx, e.Sites, n, func(rows []trace.Row) error {
		var parts []trace.Row
		for _, r := range rows {
			if !r.Whole() {
				parts = append(parts, r)
			} else if m, has := r.Mark(); has {
				m.Named = true
				whole.add(m)
			}
		}
		if len(parts) > 0 {
			n, err := p.pieceOf(ctx, e, parts)
			if erased += n; err != nil {
				return err
			}
		}
		if !aside.Sleep(ctx, time.Since(began)) {
			return ctx.Err()
		}
		began = time.Now()
		return nil
	})
	if err != nil {
		return erased, err
	}
	more, err := p.eraseFrom(ctx, e, whole.list)
	return erased + more, err
}

// pieceOf erases the rows, which are a few hundred at most.
func (p *Persons) pieceOf(ctx context.Context, e Erasure, rows []trace.Row) (erased int64, err error) {
	err = p.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		erased = 0
		for _, r := range rows {
			n, err := r.Forget(ctx, tx)
			if err != nil {
				return err
			}
			erased += n
		}
		return e.count(ctx, tx, erased)
	})
	return erased, err
}

// piece erases a part of the mark's rows.
func (p *Persons) piece(ctx context.Context, e Erasure, t trace.Table, m trace.Mark) (rows int64, err error) {
	// Most marks lead to nothing in most tables, which is found without keeping the writer.
	if any, err := t.Any(ctx, p.db.Read(), m); !any || err != nil {
		return 0, err
	}
	err = p.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
		if rows, err = t.Erase(ctx, tx, m); err != nil || rows == 0 {
			return err
		}
		return e.count(ctx, tx, rows)
	})
	if err != nil {
		return 0, err
	}
	return rows, nil
}

package form

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

const (
	// storeEvery is how often what was noted is stored, and storeTimeout how long that may take.
	storeEvery, storeTimeout = 5 * time.Second, 5 * time.Second
	// tellEvery is the time between two entries of the journal that tell that a form fails.
	tellEvery = time.Hour
)

// Run stores what [Forms.Note] notes, every five seconds and once more when ctx ends. What cannot be stored
// is tried again with what comes next.
func (f *Forms) Run(ctx context.Context, logger *zap.Logger) {
	again := time.NewTicker(storeEvery)
	defer again.Stop()
	failing := false
	for going := true; going; {
		select {
		case <-ctx.Done():
			going = false
		case <-again.C:
		}
		err := f.Store(context.WithoutCancel(ctx))
		if err != nil && !failing {
			logger.Warn("storing how forms were answered failed: it is tried again", zap.Error(err))
		}
		failing = err != nil
	}
}

// Store stores what was noted, and has the journal tell which forms fail.
func (f *Forms) Store(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	f.mu.Lock()
	counted := f.tally
	f.tally = make(map[key]*count)
	f.mu.Unlock()
	if len(counted) > 0 {
		// In one order on all nodes.
		keys := slices.SortedFunc(maps.Keys(counted), func(a, b key) int { return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.path, b.path)) })
		err := f.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			for _, k := range keys {
				if err := f.store(ctx, tx, k, counted[k]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			f.giveBack(counted)
			return fmt.Errorf("storing how forms were answered: %w", err)
		}
	}
	return f.tell(ctx)
}

// store stores what has come of one form. Forms without fields have been listed before, or are none.
func (f *Forms) store(ctx context.Context, tx db.Tx, k key, c *count) error {
	if c.fields != nil {
		fields, err := json.Marshal(c.fields)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO forms (site_id, path, fields, at) SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS BIGINT)
			WHERE (SELECT COUNT(*) FROM forms WHERE site_id = $1 AND path <> $2) < $5
			ON CONFLICT (site_id, path) DO UPDATE SET fields = excluded.fields`, k.site, k.path, string(fields), c.at, MaxForms); err != nil {
			return err
		}
	}
	listed, err := tx.Exec(ctx, `UPDATE forms SET at = $3, untold = untold + $4, status = CASE WHEN $4 > 0 THEN $5 ELSE status END
		WHERE site_id = $1 AND path = $2`, k.site, k.path, c.at, c.failed, c.status)
	if err != nil || listed == 0 {
		return err
	}
	for _, status := range slices.Sorted(maps.Keys(c.answers)) {
		if _, err := tx.Exec(ctx, `INSERT INTO form_answers (site_id, path, day, status, times) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (site_id, path, day, status) DO UPDATE SET times = form_answers.times + excluded.times`,
			k.site, k.path, c.at/day, status, c.answers[status]); err != nil {
			return err
		}
	}
	return nil
}

// giveBack takes what could not be stored back into what is to be.
func (f *Forms) giveBack(counted map[key]*count) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for k, c := range counted {
		now := f.tally[k]
		if now == nil {
			f.tally[k] = c
			continue
		}
		for status, times := range c.answers {
			now.answers[status] += times
		}
		now.failed += c.failed
		now.status = cmp.Or(now.status, c.status)
		if now.fields == nil {
			now.fields = c.fields
		}
	}
}

// tell has the journal tell of the forms that have failed and of which it has not told for an hour.
func (f *Forms) tell(ctx context.Context) error {
	now := f.now()
	due := now.Add(-tellEvery).UnixMilli()
	_, some, err := db.One(ctx, f.db.Read(), db.Only[int64], `SELECT site_id FROM forms WHERE untold > 0 AND told_at <= $1 LIMIT 1`, due)
	if err != nil || !some {
		return err
	}
	type failing struct {
		key
		status, times int64
	}
	err = f.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		told, err := db.List(ctx, tx, func(r *failing) []any { return []any{&r.site, &r.path, &r.status, &r.times} },
			`UPDATE forms SET told = untold, untold = 0, told_at = $1 WHERE untold > 0 AND told_at <= $2 RETURNING site_id, path, status, told`, now.UnixMilli(), due)
		if err != nil {
			return err
		}
		entries := make([]journal.Entry, len(told))
		for i, r := range told {
			data, err := json.Marshal(struct {
				Path   string `json:"path"`
				Status int64  `json:"status"`
				Count  int64  `json:"count"`
			}{r.path, r.status, r.times})
			if err != nil {
				return err
			}
			entries[i] = journal.Entry{SiteID: r.site, At: now, Kind: Failed, Data: data}
		}
		return journal.AppendAll(ctx, tx, entries)
	})
	if err != nil {
		return fmt.Errorf("telling that forms fail: %w", err)
	}
	return nil
}

// Prune deletes what is older than DaysKept.
func (f *Forms) Prune(ctx context.Context) error {
	oldest := f.now().AddDate(0, 0, -DaysKept).UnixMilli()
	err := f.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM forms WHERE at < $1`, oldest); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM form_answers WHERE day < $1`, f.today()-DaysKept)
		return err
	})
	if err != nil {
		return fmt.Errorf("pruning forms: %w", err)
	}
	return nil
}

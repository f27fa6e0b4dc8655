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

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
)

// storeEvery is how often notes are stored, and storeTimeout bounds how long that may take.
const storeEvery, storeTimeout = 5 * time.Second, 5 * time.Second

// Run stores the notes of [Forms.Note] every five seconds, and once more when ctx ends. What cannot be stored is tried
// again with the next notes.
func (f *Forms) Run(ctx context.Context, logger *zap.Logger) {
	aside.Every(ctx, storeEvery, logger, "storing how forms were answered failed: it is tried again", f.Store)
}

// Store stores the notes, and which forms fail or work again; see package incident.
func (f *Forms) Store(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	f.mu.Lock()
	counted := f.tally
	f.tally = make(map[key]*count)
	f.mu.Unlock()
	if len(counted) == 0 {
		return nil
	}
	// The same order on all nodes prevents deadlocks.
	keys := slices.SortedFunc(maps.Keys(counted), func(a, b key) int { return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.path, b.path)) })
	fields, err := fieldsOf(counted)
	if err == nil {
		err = f.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			listed, err := store(ctx, tx, keys, counted, fields)
			if err != nil {
				return err
			}
			for _, k := range listed {
				if err := tell(ctx, tx, k, counted[k], f.now()); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		f.giveBack(counted)
		return fmt.Errorf("storing how forms were answered: %w", err)
	}
	return nil
}

// formCount is what is known about a form, as a row.
type formCount struct {
	key
	fields string // empty if they were not read
	at     int64
}

// fieldsOf returns the stored fields of the forms.
func fieldsOf(counted map[key]*count) (map[key]string, error) {
	fields := make(map[key]string)
	for k, c := range counted {
		if c.fields == nil {
			continue
		}
		text, err := json.Marshal(c.fields)
		if err != nil {
			return nil, err
		}
		fields[k] = string(text)
	}
	return fields, nil
}

// store stores the counts of the forms, which are sorted by site. A new form is listed if its fields are known and the
// site has room for it. store returns the forms that are listed.
func store(ctx context.Context, tx db.Tx, keys []key, counted map[key]*count, fields map[key]string) (kept []key, err error) {
	type answer struct {
		key
		day, status, times int64
	}
	var forms []formCount
	var answers []answer
	var listed map[string]bool // of the site
	for i, k := range keys {
		if i == 0 || k.site != keys[i-1].site {
			paths, err := db.List(ctx, tx, db.Only[string], `SELECT path FROM forms WHERE site_id = $1`, k.site)
			if err != nil {
				return nil, err
			}
			listed = make(map[string]bool, len(paths))
			for _, path := range paths {
				listed[path] = true
			}
		}
		c := counted[k]
		if !listed[k.path] && (c.fields == nil || len(listed) >= MaxForms) {
			continue
		}
		listed[k.path] = true
		kept = append(kept, k)
		forms = append(forms, formCount{key: k, fields: fields[k], at: c.at})
		for _, status := range slices.Sorted(maps.Keys(c.answers)) {
			answers = append(answers, answer{k, c.at / day, int64(status), c.answers[status]})
		}
	}
	for some := range db.Parts(forms) {
		values, args := db.Values(some, func(r *formCount) []any { return []any{&r.site, &r.path, &r.fields, &r.at} })
		if _, err := tx.Exec(ctx, `INSERT INTO forms (site_id, path, fields, at) `+values+`
			ON CONFLICT (site_id, path) DO UPDATE SET at = excluded.at,
				fields = CASE WHEN excluded.fields = '' THEN forms.fields ELSE excluded.fields END`, args...); err != nil {
			return nil, err
		}
	}
	for some := range db.Parts(answers) {
		values, args := db.Values(some, func(r *answer) []any { return []any{&r.site, &r.path, &r.day, &r.status, &r.times} })
		if _, err := tx.Exec(ctx, `INSERT INTO form_answers (site_id, path, day, status, times) `+values+`
			ON CONFLICT (site_id, path, day, status) DO UPDATE SET times = form_answers.times + excluded.times`, args...); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// tell tells that the form fails, or works again.
func tell(ctx context.Context, tx db.Tx, k key, c *count, now time.Time) error {
	if c.failed != 0 {
		failing := incident.Incident{SiteID: k.site, Kind: incident.Form, About: k.path, Name: k.path, Status: c.failed}
		if err := incident.Note(ctx, tx, failing, true, now); err != nil {
			return err
		}
	}
	if c.works {
		return incident.Mend(ctx, tx, k.site, incident.Form, k.path, now)
	}
	return nil
}

// giveBack puts counts that could not be stored back among the notes.
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
		now.failed = cmp.Or(now.failed, c.failed)
		if now.fields == nil {
			now.fields = c.fields
		}
	}
}

// Prune deletes what is older than DaysKept.
func (f *Forms) Prune(ctx context.Context) error {
	oldest := f.now().AddDate(0, 0, -DaysKept).UnixMilli()
	err := f.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		for _, table := range [...]string{"forms", "page_markups"} {
			if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE at < $1`, oldest); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `DELETE FROM form_answers WHERE day < $1`, f.today()-DaysKept)
		return err
	})
	if err != nil {
		return fmt.Errorf("pruning forms: %w", err)
	}
	return nil
}

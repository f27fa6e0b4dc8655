// Package saved keeps reports under names: for the operator who has saved one and, if that is wanted, for all who see what
// it is of. The console asks it.
package saved

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Bounds of what is saved.
const (
	// Max limits the reports of an operator.
	Max = 50
	// MaxName limits the name, in characters, and MaxQuery what is asked, in bytes.
	MaxName  = 100
	MaxQuery = 2000
)

// Mistakes of those who save.
var (
	ErrUnknown = errors.New("there is no such saved report")
	ErrName    = fmt.Errorf("a saved report has a name of 1 to %d characters", MaxName)
	ErrQuery   = fmt.Errorf("what a saved report asks has at most %d bytes", MaxQuery)
	ErrMany    = fmt.Errorf("an operator has at most %d saved reports", Max)
	ErrTaken   = errors.New("the operator has a report of that name already")
	ErrChanged = errors.New("somebody else has changed the saved report")
)

// Report is what is asked, under a name.
type Report struct {
	ID int64
	// SiteID is of what site it is; 0 for all that whoever opens it sees.
	SiteID int64
	// Operator is whose it is.
	Operator int64
	Name     string
	// Query is what is asked, as the address of the report has it.
	Query string
	// Shared reports are seen by all who see the site; those of all sites by all who see all of them.
	Shared  bool
	SavedAt time.Time
}

// CheckName returns the name without spaces around it, or [ErrName].
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > MaxName || strings.ContainsFunc(name, unicode.IsControl) {
		return "", ErrName
	}
	return name, nil
}

// Reports keeps what is saved. It is safe for concurrent use.
type Reports struct {
	db  *db.DB
	now func() time.Time
	ids *db.Sequence
}

// New returns the saved reports of the database.
func New(d *db.DB, now func() time.Time) *Reports {
	return &Reports{db: d, now: now, ids: d.Sequence("saved_reports", 1)}
}

const columns = `SELECT id, site_id, operator_id, name, query, shared, saved_at FROM saved_reports`

func fields(r *row) []any {
	return []any{&r.ID, &r.SiteID, &r.Operator, &r.Name, &r.Query, &r.Shared, &r.savedAt}
}

type row struct {
	Report
	savedAt int64
}

func read(ctx context.Context, from db.Queries, condition string, args ...any) ([]Report, error) {
	return readIn(ctx, from, condition+` ORDER BY name, id`, args...)
}

func readIn(ctx context.Context, from db.Queries, rest string, args ...any) ([]Report, error) {
	rows, err := db.List(ctx, from, fields, columns+` WHERE `+rest, args...)
	if err != nil {
		return nil, fmt.Errorf("reading saved reports: %w", err)
	}
	list := make([]Report, len(rows))
	for i, r := range rows {
		list[i], list[i].SavedAt = r.Report, time.UnixMilli(r.savedAt)
	}
	return list, nil
}

// mostShared bounds how many reports of others a list has.
const mostShared = 100

// Of returns by name the reports that the operator has saved, and those that others share. What is of a site that the
// operator does not see is left out.
func (s *Reports) Of(ctx context.Context, o operator.Operator) ([]Report, error) {
	all, err := read(ctx, s.db.Read(), `operator_id = $1 OR shared AND (`+o.Sites.SQL("site_id")+`)`, o.ID)
	if err != nil {
		return nil, err
	}
	var seen []Report
	others := 0
	for _, r := range all {
		switch own := r.Operator == o.ID; {
		case r.SiteID != 0 && !o.Sites.Has(r.SiteID), r.SiteID == 0 && !own && !o.Sites.All():
		case !own && others == mostShared:
		case own:
			seen = append(seen, r)
		default:
			others++
			seen = append(seen, r)
		}
	}
	return seen, nil
}

// SharedAt returns the reports that are shared at the sites, those of all sites among them for who sees all, limit at most:
// the latest first, behind that of the id, or from the top for 0.
func (s *Reports) SharedAt(ctx context.Context, sites scope.Sites, behind int64, limit int) ([]Report, error) {
	return readIn(ctx, s.db.Read(), `shared AND (id < $1 OR $1 = 0) AND `+sites.SQL("site_id")+` ORDER BY id DESC LIMIT $2`, behind, limit)
}

// Shared returns the shared report of the id, if it is at one of the sites, or [ErrUnknown].
func (s *Reports) Shared(ctx context.Context, sites scope.Sites, id int64) (Report, error) {
	found, err := read(ctx, s.db.Read(), `shared AND id = $1 AND `+sites.SQL("site_id"), id)
	if err == nil && len(found) == 0 {
		err = ErrUnknown
	}
	if err != nil {
		return Report{}, err
	}
	return found[0], nil
}

func (r *Report) check() (err error) {
	if r.Name, err = CheckName(r.Name); err != nil {
		return err
	}
	if len(r.Query) > MaxQuery {
		return ErrQuery
	}
	return nil
}

// Save keeps the report as the operator's. It replaces the one that the operator has of the site under that name. The error
// may be [ErrName], [ErrQuery] or [ErrMany].
func (s *Reports) Save(ctx context.Context, o operator.Operator, r Report) error {
	_, err := s.keep(ctx, o.ID, r, true)
	return err
}

// Add does what Save does, and returns the id. It replaces nothing: the error may be [ErrTaken].
func (s *Reports) Add(ctx context.Context, o operator.Operator, r Report) (id int64, err error) {
	return s.keep(ctx, o.ID, r, false)
}

func (s *Reports) keep(ctx context.Context, operatorID int64, r Report, replaces bool) (id int64, err error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	if id, err = s.ids.Next(ctx); err != nil {
		return 0, err
	}
	return id, s.db.Attempt(ctx, r.SiteID, func(ctx context.Context, tx db.Tx) error {
		own, err := read(ctx, tx, `operator_id = $1`, operatorID)
		if err != nil {
			return err
		}
		known := slices.ContainsFunc(own, func(other Report) bool { return other.SiteID == r.SiteID && other.Name == r.Name })
		switch {
		case known && !replaces:
			return ErrTaken
		case !known && len(own) >= Max:
			return ErrMany
		}
		if _, err := tx.Exec(ctx, `INSERT INTO saved_reports (site_id, id, operator_id, name, query, shared, saved_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (site_id, operator_id, name) DO UPDATE SET query = EXCLUDED.query, shared = EXCLUDED.shared, saved_at = EXCLUDED.saved_at`,
			r.SiteID, id, operatorID, r.Name, r.Query, r.Shared, s.now().UnixMilli()); err != nil {
			return fmt.Errorf("saving a report: %w", err)
		}
		return nil
	})
}

// Change gives the operator's own report another name, and shares it or no longer. The error may be [ErrUnknown], [ErrName]
// or [ErrTaken].
func (s *Reports) Change(ctx context.Context, o operator.Operator, id int64, name string, shared bool) error {
	name, err := CheckName(name)
	if err != nil {
		return err
	}
	return s.change(ctx, o.ID, id, func(r Report) (Report, error) {
		r.Name, r.Shared = name, shared
		return r, nil
	})
}

// Replace has the report ask something else, or under another name. It is the operator's of before, which the caller has
// read. The error may be [ErrUnknown], [ErrChanged], [ErrName], [ErrQuery] or [ErrTaken].
func (s *Reports) Replace(ctx context.Context, before Report, name, query string) error {
	to := before
	to.Name, to.Query = name, query
	if err := to.check(); err != nil {
		return err
	}
	return s.change(ctx, before.Operator, before.ID, func(now Report) (Report, error) {
		if now.Name != before.Name || now.Query != before.Query || now.Shared != before.Shared {
			return now, ErrChanged
		}
		return to, nil
	})
}

// change has the operator's report be what to returns for it.
func (s *Reports) change(ctx context.Context, operatorID, id int64, to func(Report) (Report, error)) error {
	return s.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		own, err := read(ctx, tx, `operator_id = $1`, operatorID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(own, func(r Report) bool { return r.ID == id })
		if at < 0 {
			return ErrUnknown
		}
		changed, err := to(own[at])
		if err != nil {
			return err
		}
		if slices.ContainsFunc(own, func(r Report) bool { return r.ID != id && r.SiteID == changed.SiteID && r.Name == changed.Name }) {
			return ErrTaken
		}
		if _, err := tx.Exec(ctx, `UPDATE saved_reports SET name = $1, shared = $2, query = $3 WHERE site_id = $4 AND id = $5`,
			changed.Name, changed.Shared, changed.Query, changed.SiteID, id); err != nil {
			return fmt.Errorf("changing a saved report: %w", err)
		}
		return nil
	})
}

// Remove removes a report of the operator or, for an admin of the site, one that somebody shares there. The error may be
// [ErrUnknown].
func (s *Reports) Remove(ctx context.Context, o operator.Operator, id int64) error {
	return s.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		found, err := read(ctx, tx, `id = $1`, id)
		if err != nil {
			return err
		}
		if len(found) == 0 || !MayRemove(o, found[0]) {
			return ErrUnknown
		}
		if _, err := tx.Exec(ctx, `DELETE FROM saved_reports WHERE site_id = $1 AND id = $2`, found[0].SiteID, id); err != nil {
			return fmt.Errorf("removing a saved report: %w", err)
		}
		return nil
	})
}

// MayRemove reports whether the operator may remove the report.
func MayRemove(o operator.Operator, r Report) bool {
	if r.Operator == o.ID {
		return true
	}
	sees := o.Sites.All() || r.SiteID != 0 && o.Sites.Has(r.SiteID)
	return r.Shared && o.Role == operator.Admin && sees
}

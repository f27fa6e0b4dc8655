package person

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

const (
	// contactMemory is for how long it is known which numbers and addresses were erased. Forms wait on a disk for hours
	// at most.
	contactMemory = 30 * 24 * time.Hour
	// maxErasures is how many a list has.
	maxErasures = 50
)

// Erasure is the erasing of a person.
type Erasure struct {
	ID    int64
	Sites scope.Sites
	// By is the login of who has asked for it, or empty for whoever runs the server.
	By string
	// Person is the hash that stands for the person.
	Person string
	// AskedAt and EndedAt are when; the latter is zero while it goes on.
	AskedAt, EndedAt time.Time
	// Rows are how many rows have been erased.
	Rows int64
}

type erasureRow struct {
	Erasure
	sites          scope.Sites
	asked, endedAt int64
}

func (r *erasureRow) fields() []any {
	return []any{&r.ID, &r.sites, &r.By, &r.Person, &r.asked, &r.endedAt, &r.Rows}
}

var erasureColumns = `id, ` + scope.Column("all_sites", "erasure_sites WHERE erasure_id = erasures.id") + `, asked_by, person, asked_at, ended_at, erased`

func (p *Persons) erasures(ctx context.Context, which string, args ...any) ([]Erasure, error) {
	rows, err := db.List(ctx, p.db.Read(), (*erasureRow).fields, `SELECT `+erasureColumns+` FROM erasures `+which, args...)
	if err != nil {
		return nil, fmt.Errorf("reading erasures: %w", err)
	}
	list := make([]Erasure, len(rows))
	for i, r := range rows {
		list[i] = r.Erasure
		list[i].Sites, list[i].AskedAt = r.sites, time.UnixMilli(r.asked)
		if r.endedAt != 0 {
			list[i].EndedAt = time.UnixMilli(r.endedAt)
		}
	}
	return list, nil
}

// Erasures are the latest at the sites, the newest first.
func (p *Persons) Erasures(ctx context.Context, sites scope.Sites) (seen []Erasure, err error) {
	list, err := p.erasures(ctx, `ORDER BY id DESC LIMIT $1`, maxErasures)
	for _, e := range list {
		if sites.Covers(e.Sites) {
			seen = append(seen, e)
		}
	}
	return seen, err
}

// Erasure is the one of the id.
func (p *Persons) Erasure(ctx context.Context, id int64) (Erasure, error) {
	list, err := p.erasures(ctx, `WHERE id = $1`, id)
	if err == nil && len(list) == 0 {
		err = errors.New("there is no such erasure")
	}
	if err != nil {
		return Erasure{}, err
	}
	return list[0], nil
}

// Erase has all erased that is known of the person, and returns when that is certain to be done: [Persons.Run] does it,
// on whichever node, and goes on with it after a restart. From now on, forms that the person has sent before are not
// stored.
func (p *Persons) Erase(ctx context.Context, by string, s Sought) (id int64, err error) {
	marks, err := p.marks(ctx, s)
	if err != nil {
		return 0, err
	}
	if id, err = p.ids.Next(ctx); err != nil {
		return 0, err
	}
	at, listed, noted := p.now().UnixMilli(), s.Sites.IDs(), operator.NotedAt(s.Sites)
	err = p.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO erasures (id, all_sites, asked_by, person, asked_at, ended_at, erased) VALUES ($1, $2, $3, $4, $5, 0, 0)`, id, s.Sites.All(), by, p.name(marks), at); err != nil {
			return err
		}
		for _, site := range listed {
			if _, err := tx.Exec(ctx, `INSERT INTO erasure_sites (site_id, erasure_id) VALUES ($1, $2)`, site, id); err != nil {
				return err
			}
		}
		for _, m := range marks {
			if _, err := tx.Exec(ctx, `INSERT INTO erasure_marks (erasure_id, kind, site_id, id, text) VALUES ($1, $2, $3, $4, $5)`, id, string(m.Kind), m.SiteID, m.ID, m.Text); err != nil {
				return err
			}
			for _, site := range noted {
				if m.Text == "" {
					continue
				}
				if _, err := tx.Exec(ctx, `INSERT INTO erased_contacts (hash, at) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET at = EXCLUDED.at`, p.contactHash(site, m.Text), at); err != nil {
					return err
				}
			}
		}
		tx.Wake(Duty)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("asking for an erasure: %w", err)
	}
	return id, nil
}

// count notes that so many more rows are erased.
func (e Erasure) count(ctx context.Context, tx db.Tx, rows int64) error {
	_, err := tx.Exec(ctx, `UPDATE erasures SET erased = erased + $2 WHERE id = $1`, e.ID, rows)
	return err
}

func (p *Persons) marksOf(ctx context.Context, e Erasure) ([]trace.Mark, error) {
	marks, err := db.List(ctx, p.db.Read(), func(m *trace.Mark) []any { return []any{&m.Kind, &m.SiteID, &m.ID, &m.Text, &m.Named} },
		`SELECT kind, site_id, id, text, named FROM erasure_marks WHERE erasure_id = $1`, e.ID)
	if err != nil {
		return nil, fmt.Errorf("reading an erasure: %w", err)
	}
	return marks, nil
}

// keepMarks has the marks outlive the rows that have led to them.
func (p *Persons) keepMarks(ctx context.Context, e Erasure, marks []trace.Mark) error {
	for some := range db.Parts(marks) {
		err := p.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			values, args := db.Values(some, func(m *trace.Mark) []any { return []any{&e.ID, &m.Kind, &m.SiteID, &m.ID, &m.Text, &m.Named} })
			_, err := tx.Exec(ctx, `INSERT INTO erasure_marks (erasure_id, kind, site_id, id, text, named) `+values+`
				ON CONFLICT (erasure_id, kind, site_id, id, text) DO UPDATE SET named = erasure_marks.named AND excluded.named`, args...)
			return err
		})
		if err != nil {
			return fmt.Errorf("keeping the marks of an erasure: %w", err)
		}
	}
	return nil
}

// end notes that the person is erased, and forgets by what the person was known.
func (p *Persons) end(ctx context.Context, e Erasure) error {
	err := p.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM erasure_marks WHERE erasure_id = $1`, e.ID); err != nil {
			return err
		}
		rows, _, err := db.One(ctx, tx, db.Only[int64], `UPDATE erasures SET ended_at = $2 WHERE id = $1 RETURNING erased`, e.ID, p.now().UnixMilli())
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM erased_contacts WHERE at < $1`, p.now().Add(-contactMemory).UnixMilli()); err != nil {
			return err
		}
		return p.noteTx(ctx, tx, operator.PersonErased, e.By, e.Sites, e.Person, rows)
	})
	if err != nil {
		return fmt.Errorf("ending an erasure: %w", err)
	}
	return nil
}

// UnderWay reports whether a person is being erased at the site.
func UnderWay(ctx context.Context, from db.Queries, siteID int64) (bool, error) {
	_, under, err := db.One(ctx, from, db.Only[int64],
		`SELECT id FROM erasures WHERE ended_at = 0 AND (all_sites OR id IN (SELECT erasure_id FROM erasure_sites WHERE site_id = $1)) LIMIT 1`, siteID)
	if err != nil {
		return false, fmt.Errorf("looking for erasures: %w", err)
	}
	return under, nil
}

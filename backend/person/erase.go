package person

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// erasing is the duty of erasing, and what is woken when there is something to erase.
	erasing = "erasing"
	// piecePause is the least time between two pieces, in which others write. It is pieceShare times as long as the
	// last one took.
	piecePause = 10 * time.Millisecond
	pieceShare = 3
	// lookPause is how often it is looked without a wake.
	lookPause = time.Minute
	// maxPasses bounds how often it is looked again for what came while the person was being erased.
	maxPasses = 20
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

const erasureColumns = `id, sites, asked_by, person, asked_at, ended_at, erased`

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
	at := p.now().UnixMilli()
	err = p.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO erasures (`+erasureColumns+`) VALUES ($1, $2, $3, $4, $5, 0, 0)`, id, s.Sites.String(), by, p.name(marks), at); err != nil {
			return err
		}
		for _, m := range marks {
			if _, err := tx.Exec(ctx, `INSERT INTO erasure_marks (erasure_id, kind, site_id, id, text) VALUES ($1, $2, $3, $4, $5)`, id, string(m.Kind), m.SiteID, m.ID, m.Text); err != nil {
				return err
			}
			for _, site := range operator.NotedAt(s.Sites) {
				if m.Text == "" {
					continue
				}
				if _, err := tx.Exec(ctx, `INSERT INTO erased_contacts (hash, at) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET at = EXCLUDED.at`, p.contactHash(site, m.Text), at); err != nil {
					return err
				}
			}
		}
		tx.Wake(erasing)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("asking for an erasure: %w", err)
	}
	return id, nil
}

// Run erases what was asked for, until ctx ends.
func (p *Persons) Run(ctx context.Context) {
	asked, forget := p.db.Subscribe(erasing)
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
	_, err = p.db.Duty(ctx, erasing, func(ctx context.Context) error {
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

// count notes that so many more rows are erased.
func (e Erasure) count(ctx context.Context, tx db.Tx, rows int64) error {
	_, err := tx.Exec(ctx, `UPDATE erasures SET erased = erased + $2 WHERE id = $1`, e.ID, rows)
	return err
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

// contactHash stands for a number or an address at a site, or with 0 at all of them.
func (p *Persons) contactHash(siteID int64, text string) string {
	return p.hash(strconv.FormatInt(siteID, 10) + " " + text)
}

// maxTried is how many numbers and addresses of one form are looked up among those that were erased.
const maxTried = 4096

// ErasedSince reports whether the person of the phone, or of a number or an address that stands in one of the texts,
// was erased at the site after the time: what was sent then is not to be stored. The phone is as somebody has written
// it.
func (p *Persons) ErasedSince(ctx context.Context, siteID int64, at time.Time, region, phone string, texts ...string) (bool, error) {
	_, any, err := db.One(ctx, p.db.Read(), db.Only[string], `SELECT hash FROM erased_contacts WHERE at >= $1 LIMIT 1`, at.UnixMilli())
	if err != nil || !any {
		return false, wrapped(err)
	}
	tried := make(map[string]bool)
	try := func(name string) bool {
		tried[name] = true
		return len(tried) < maxTried
	}
	if digits := visit.ReadPhone(phone, region).Digits; digits != "" {
		try(digits)
	}
	if digits := visit.Digits(phone); digits != "" {
		try(digits)
	}
	for _, text := range append(texts, phone) {
		eachReading(text, func(text string) bool {
			return eachNumber(text, usualLengths, func(digits []byte) bool { return try(string(digits)) }) && eachAddress(text, try)
		})
	}
	hashes := make([]string, 0, 2*len(tried))
	for name := range tried {
		hashes = append(hashes, p.contactHash(0, name), p.contactHash(siteID, name))
	}
	for some := range db.Parts(hashes) {
		values, args := db.Values(some, db.Only[string], at.UnixMilli())
		_, erased, err := db.One(ctx, p.db.Read(), db.Only[string], `SELECT hash FROM erased_contacts WHERE at >= $1 AND hash IN (`+values+`)`, args...)
		if err != nil || erased {
			return erased, wrapped(err)
		}
	}
	return false, nil
}

// usualLengths are how many digits a number has, with the code of its country or without.
var usualLengths = []int{7, 8, 9, 10, 11, 12, 13, 14, 15}

func wrapped(err error) error {
	if err != nil {
		err = fmt.Errorf("looking for erased persons: %w", err)
	}
	return err
}

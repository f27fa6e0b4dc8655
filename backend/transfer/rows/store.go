package rows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

const (
	// storedAtOnce is how many rows, and storedBytes about how many bytes, one transaction adds or takes away. Visitors of
	// other sites wait for it.
	storedAtOnce, storedBytes = 256, 256 << 10
	// storeShare is how many times as long a pause is as the transaction before it.
	storeShare = 2
	// mostNumbers is how many numbers of a sequence a file may need, and mostNumber the last one that may be taken: that of
	// ids in browsers.
	mostNumbers, mostNumber = 1 << 40, 1<<52 - 1
	// mostOperators is how many operators a file may name, and longestLogin how many bytes their logins may have.
	mostOperators, longestLogin = 100_000, 1000
	// mostDays bounds the days of figures, by the names of their columns.
	mostDays = 1 << 16
)

// Done says what has become of the rows.
type Done struct {
	Rows int64
	// Known are the logins of operators whose rows are those of the accounts here, and Unknown those that have none.
	Known, Unknown []string
	// Conversations and Callbacks are how many have been ended that had not, and Reports how many saved reports were left
	// out with their owners.
	Conversations, Callbacks, Reports int
}

// Store adds the rows of a file to a site.
type Store struct {
	DB     *db.DB
	Keys   *key.Keys
	SiteID int64
	// Taken are the numbers for the rows; see [Take].
	Taken Taken
	Heads Heads
	// Groups are the numbers of groups here by those in the file.
	Groups map[int64]int64
	// Accounts are the operators here, by login.
	Accounts map[string]int64
	// Tell is called now and then with how many rows there are.
	Tell func(rows int64)
}

// storing is what is known while rows are added.
type storing struct {
	Store
	ctx       context.Context
	operators map[int64]int64          // here, by those in the file
	days      map[string]map[int64]int // how many rows the figures of a day have, by family
	table     *table.Table
	of        *moved
	waiting   [][]any
	from      int64 // the line of the first that waits
	size      int
	reader    *Reader
	done      Done
}

// Add adds what the reader has. The error may name the line.
func (s Store) Add(ctx context.Context, r *Reader) (Done, error) {
	all, err := tables(ctx, s.DB)
	if err != nil {
		return Done{}, err
	}
	w := &storing{Store: s, ctx: ctx, operators: make(map[int64]int64), days: make(map[string]map[int64]int), reader: r}
	if err := r.read(all, w); err != nil {
		return Done{}, err
	}
	err = w.flush()
	return w.done, err
}

func (s *storing) operator(o Operator) error {
	if _, twice := s.operators[o.Number]; twice || o.Number <= 0 || len(s.operators) == mostOperators || len(o.Login) > longestLogin {
		return fmt.Errorf("operator %d is named twice, or too long, or there are too many", o.Number)
	}
	here, has := s.Accounts[o.Login]
	if s.operators[o.Number] = here; has {
		s.done.Known = append(s.done.Known, o.Login)
	} else {
		s.done.Unknown = append(s.done.Unknown, o.Login)
	}
	return nil
}

func (s *storing) row(m *moved, t table.Table, r *record) error {
	if s.table == nil || s.table.Name != t.Name {
		if err := s.flush(); err != nil {
			return err
		}
		s.table, s.of = &t, m
	}
	if left, err := s.prepare(m, r); left || err != nil {
		return err
	}
	if len(s.waiting) == 0 {
		s.from = s.reader.n
	}
	s.waiting = append(s.waiting, append([]any{s.SiteID}, r.values...))
	s.size += r.size()
	if len(s.waiting) < storedAtOnce && s.size < storedBytes {
		return nil
	}
	return s.flush()
}

// prepare has the row be as it is here; left is true for one that is not added.
func (s *storing) prepare(m *moved, r *record) (left bool, err error) {
	r.done = &s.done
	if m.name == figures {
		if err := s.countFigures(r); err != nil {
			return false, err
		}
	}
	err = r.renumber(m, s.here, func(pool string) string {
		if len(pool) > 0 && pool[0] == '/' {
			return number.OwnPoolName(s.SiteID, pool[1:])
		}
		return pool
	})
	if err == nil && m.mend != nil {
		m.mend(r)
		err = r.err
	}
	return r.left, err
}

// size is about how many bytes the row has.
func (r *record) size() (n int) {
	for _, value := range r.values {
		switch v := value.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n
}

// here is the number here of one in the file.
func (s *storing) here(of reference, n int64) (int64, error) {
	switch of {
	case ofOperator:
		here, named := s.operators[n]
		if !named {
			return 0, fmt.Errorf("operator %d has not been named: %w", n, errReference)
		}
		return here, nil
	case ofGroup:
		if n = s.Heads.group(n); n == 0 {
			return 0, nil
		}
		if here, has := s.Groups[n]; has {
			return here, nil
		}
	case publicVisitor, publicVisit, publicView:
		drawn, err := s.here(ofView, n)
		if errors.Is(err, errReference) { // a site's server names visitors as it likes
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		return int64(map[reference]key.Permutation{publicVisitor: s.Keys.Visitors, publicVisit: s.Keys.Visits, publicView: s.Keys.Views}[of].ID(drawn)), nil
	}
	if n <= 0 || n >= s.Heads.Sequences[string(of)] {
		return 0, fmt.Errorf("%d: %w", n, errReference)
	}
	if of == ofView {
		return s.view(n)
	}
	return s.Taken.First[string(of)] + n - 1, nil
}

// countFigures refuses figures of which the columns of a day do not fit together: reports rely on it.
func (s *storing) countFigures(r *record) error {
	content, _ := r.values[r.place("content")].([]byte)
	_, rows, err := fact.Renumber(r.text("name"), content, func(_ fact.Of, n int64) (int64, error) { return n, nil })
	if err != nil || rows < 0 {
		return err
	}
	family, whole := fact.FamilyOf(r.text("name"))
	if whole { // what is beside it does not count
		return nil
	}
	days, day := s.days[family], r.number("day")
	if days == nil {
		days = make(map[int64]int)
		s.days[family] = days
	}
	if before, has := days[day]; has && before != rows || len(days) == mostDays {
		return fmt.Errorf("the figures of day %d have columns of %d and of %d rows", day, before, rows)
	}
	days[day] = rows
	return nil
}

// flush adds the rows that wait, and lets others write before the next.
func (s *storing) flush() error {
	if len(s.waiting) == 0 {
		return nil
	}
	columns := []string{"site_id"}
	for _, c := range s.table.Columns {
		columns = append(columns, c.Name)
	}
	began := time.Now()
	err := s.DB.Attempt(s.ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if err := site.StillArriving(ctx, tx, s.SiteID); err != nil {
			return err
		}
		if err := s.table.Insert(ctx, tx, columns, s.waiting, s.of.twice); err != nil {
			return err
		}
		return s.derive(ctx, tx, columns)
	})
	if err != nil {
		return fmt.Errorf("the rows from line %d on: %w", s.from, err)
	}
	s.done.Rows += int64(len(s.waiting))
	s.waiting, s.size = s.waiting[:0], 0
	s.Tell(s.done.Rows)
	if !aside.Sleep(s.ctx, storeShare*time.Since(began)) {
		return s.ctx.Err()
	}
	return nil
}

// derive adds what is made of the rows: where platforms find their calls, unless another site has a call of the name.
func (s *storing) derive(ctx context.Context, tx db.Tx, columns []string) error {
	if s.of.name != "calls" {
		return nil
	}
	named := []string{"platform", "call_id", "site_id", "id"}
	places := make([][]any, len(s.waiting))
	for i, row := range s.waiting {
		for _, name := range named {
			for c, column := range columns {
				if column == name {
					places[i] = append(places[i], row[c])
				}
			}
		}
	}
	return table.Table{Name: "call_places"}.Insert(ctx, tx, named, places, true)
}

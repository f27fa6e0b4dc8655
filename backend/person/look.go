package person

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Known is what is known of a person.
type Known struct {
	// Person is the hash that stands for the person.
	Person string
	// Rows are how many there are in each table. Tables without are missing.
	Rows []TableRows
	// Named are those of them that only name the person in a text.
	Named []TableRows
	// Partial tells that there was no time to look through all texts.
	Partial bool
	// Visitors, Leads and Calls are the marks of those, and Conversations of those in which the person is named.
	Visitors, Leads, Calls, Conversations []trace.Mark
}

// TableRows is how many rows a table has.
type TableRows struct {
	Table string
	Rows  int64
}

// Total is the number of all rows.
func (k Known) Total() (n int64) {
	for _, t := range k.Rows {
		n += t.Rows
	}
	return n
}

// plus are the rows of the tables with so many more.
func plus(rows []TableRows, table string, n int64) []TableRows {
	at := slices.IndexFunc(rows, func(r TableRows) bool { return r.Table == table })
	if at < 0 {
		at, rows = len(rows), append(rows, TableRows{Table: table})
	}
	rows[at].Rows += n
	return rows
}

// Look returns what is known of the person, and notes who has looked, by login, or empty for whoever runs the server.
// The error is [ErrNobody] where nobody is named.
func (p *Persons) Look(ctx context.Context, by string, s Sought) (Known, error) {
	found, err := p.look(ctx, s)
	if err != nil {
		return Known{}, err
	}
	return found.Known, p.note(ctx, operator.PersonLooked, by, s.Sites, found.Person, found.Total())
}

// found is what is known of a person, with what leads to it.
type found struct {
	Known
	marks []trace.Mark
	rows  []trace.Row // that name the person, without those to which the marks lead
}

func (p *Persons) look(ctx context.Context, s Sought) (f found, err error) {
	given, err := p.marks(ctx, s)
	if err != nil {
		return f, err
	}
	f.Person = p.name(given)
	if f.marks, err = p.follow(ctx, s.Sites, given); err != nil {
		return f, err
	}
	if err := p.lookThrough(ctx, s, given, &f); err != nil {
		return f, err
	}
	for _, m := range f.marks {
		switch m.Kind {
		case trace.Visitor:
			f.Visitors = append(f.Visitors, m)
		case trace.Lead:
			f.Leads = append(f.Leads, m)
		case trace.Call:
			f.Calls = append(f.Calls, m)
		}
	}
	newest := func(a, b trace.Mark) int { return cmp.Compare(b.ID, a.ID) }
	slices.SortFunc(f.Leads, newest)
	slices.SortFunc(f.Calls, newest)
	err = p.each(f.marks, func(t trace.Table, m trace.Mark) error {
		n, err := t.Count(ctx, p.db.Read(), m)
		if n > 0 {
			f.Rows = plus(f.Rows, t.Name, n)
			if m.Named {
				f.Named = plus(f.Named, t.Name, n)
			}
		}
		return err
	})
	for _, r := range f.rows {
		f.Rows, f.Named = plus(f.Rows, r.Table(), 1), plus(f.Named, r.Table(), 1)
	}
	return f, err
}

// lookThrough adds the rows that name the person in their texts, as far as there is time.
func (p *Persons) lookThrough(ctx context.Context, s Sought, given []trace.Mark, f *found) error {
	hurried := ctx
	if s.Patience > 0 {
		var stop context.CancelFunc
		hurried, stop = context.WithTimeout(ctx, s.Patience)
		defer stop()
	}
	known, whole, conversations := newMarks(s.Sites), newMarks(s.Sites), newMarks(s.Sites)
	for _, m := range f.marks {
		known.add(m)
	}
	err := p.named(hurried, s.Sites, namesOf(given), func(rows []trace.Row) error {
		for _, r := range rows {
			m, has := r.Mark()
			switch {
			case has && known.has(m):
			case r.Whole():
				m.Named = true
				whole.add(m)
			case len(f.rows) < maxMarks:
				f.rows = append(f.rows, r)
				if m.Kind == trace.Conversation {
					conversations.add(m)
				}
			}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil && hurried.Err() != nil {
		f.Partial, err = true, nil
	}
	f.Conversations = conversations.list
	if err != nil {
		return err
	}
	named, err := p.follow(ctx, s.Sites, whole.list)
	for _, m := range named {
		known.add(m)
	}
	f.marks = known.list
	return err
}

// named goes through all texts at the sites, in parts, and hands the rows to each that name the person. What other
// subjects refer to comes first, and page views come last, which are the most.
func (p *Persons) named(ctx context.Context, sites scope.Sites, n names, each func([]trace.Row) error) error {
	if n.none() {
		return nil
	}
	for _, s := range slices.Backward(p.subjects) {
		for i := range s.Tables {
			if err := s.Tables[i].Named(ctx, p.db.Read(), sites, n.in, each); err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls do for each table and mark that lead to rows, in the order of erasing.
func (p *Persons) each(marks []trace.Mark, do func(trace.Table, trace.Mark) error) error {
	for _, s := range p.subjects {
		for _, t := range s.Tables {
			for _, m := range marks {
				if m.Kind != t.By {
					continue
				}
				if err := do(t, m); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

package fact

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/column"
)

// Change is what changes on a day of a site.
type Change struct {
	SiteID, Day int64
	// Put are rows in the place of those with the same ids, or beside the others.
	Put []Row
	// Drop are the ids of rows that are on the day no more.
	Drop []int64
	// Mended are the ids of rows that Mend changes, where they are on the day and neither put nor dropped.
	Mended []int64
	Mend   func(*Row)
	// Keep gives a row that is put what it has of the one in whose place it comes; nil for nothing.
	Keep func(was Row, put *Row)
}

// Prepared is a change that is ready to be written.
type Prepared struct {
	siteID  int64
	columns []stored
}

// Prepare makes the new columns of the day. Only one at a time may change a day: the columns are read here, and written
// later. Of a long day it has one column in memory as numbers, and the new ones as they are stored.
func (f *Family) Prepare(ctx context.Context, from db.Queries, c Change) (Prepared, error) {
	d, err := f.open(ctx, from, c.SiteID, c.Day)
	if err != nil {
		return Prepared{}, err
	}
	put := slices.Clone(c.Put)
	gone := make(map[int64]bool, len(put)+len(c.Drop))
	for _, row := range put {
		gone[row.Numbers[ID]] = true
	}
	for _, id := range c.Drop {
		gone[id] = true
	}
	mended := make(map[int64]bool, len(c.Mended))
	for _, id := range c.Mended {
		mended[id] = !gone[id]
	}
	was, err := d.rows(ctx, func(id int64) bool { return mended[id] || c.Keep != nil && gone[id] })
	if err != nil {
		return Prepared{}, err
	}
	for i := range put {
		if row, is := was[put[i].Numbers[ID]]; is {
			c.Keep(row, &put[i])
		}
	}
	for id, row := range was {
		if mended[id] {
			c.Mend(&row)
			put, gone[id] = append(put, row), true
		}
	}
	slices.SortStableFunc(put, func(a, b Row) int { return cmp.Compare(a.Numbers[ID], b.Numbers[ID]) })
	return d.merge(ctx, put, gone)
}

// place is where a row of the new day comes from: the place of a row that was there before, or, below zero, ^place of one that is put.
type place int32

// order returns where the rows of the new day come from, in the order of their ids.
func (d *openDay) order(put []Row, gone map[int64]bool) []place {
	stay := make([]place, 0, len(d.ids))
	for i, id := range d.ids {
		if !gone[id] {
			stay = append(stay, place(i))
		}
	}
	byID := func(a, b place) int { return cmp.Compare(d.ids[a], d.ids[b]) }
	if !slices.IsSortedFunc(stay, byID) { // they have come from another installation, and were given new ids
		slices.SortFunc(stay, byID)
	}
	order := make([]place, 0, len(stay)+len(put))
	for i := range put {
		for len(stay) > 0 && d.ids[stay[0]] < put[i].Numbers[ID] {
			order, stay = append(order, stay[0]), stay[1:]
		}
		order = append(order, ^place(i))
	}
	order = append(order, stay...)
	return order[:min(len(order), column.MaxRows)]
}

// merge makes the new columns, one after the other.
func (d *openDay) merge(ctx context.Context, put []Row, gone map[int64]bool) (Prepared, error) {
	p := Prepared{siteID: d.siteID}
	order := d.order(put, gone)
	for c, name := range d.f.Numbers {
		was, err := d.numbers(ctx, c)
		if err != nil {
			return p, err
		}
		numbers := make([]int64, len(order))
		for i, from := range order {
			if from < 0 {
				numbers[i] = put[^from].Numbers[c]
			} else {
				numbers[i] = was[from]
			}
		}
		p.columns = append(p.columns, stored{d.f.Name + "." + name, d.day, column.AppendNumbers(nil, numbers)})
	}
	for c, name := range d.f.Texts {
		was, err := d.texts(ctx, c)
		if err != nil {
			return p, err
		}
		p.columns = append(p.columns, stored{d.f.Name + "." + name, d.day, d.f.mergeTexts(c, order, was, put).Append(nil)})
	}
	if len(order) <= wholeRows {
		p.columns = []stored{{d.f.Name + "." + whole, d.day, d.f.joined(p.columns)}}
	} else {
		p.columns = append(p.columns, stored{d.f.Name + "." + whole, d.day, []byte{}})
	}
	return p, nil
}

func (f *Family) mergeTexts(c int, order []place, was column.Texts, put []Row) column.Texts {
	merged := column.Texts{Rows: make([]uint32, 0, len(order))}
	places := make(map[string]uint32)
	add := func(text string) uint32 {
		if _, known := places[text]; !known && f.Most[c] > 0 && len(places) >= f.Most[c] {
			text = Rest
		}
		merged.Add(text, places)
		return merged.Rows[len(merged.Rows)-1]
	}
	moved := make([]uint32, len(was.Values)) // 1 more than where a text is now, and 0 while it has not come
	for _, from := range order {
		switch {
		case from < 0:
			add(put[^from].Texts[c])
		case moved[was.Rows[from]] > 0:
			merged.Rows = append(merged.Rows, moved[was.Rows[from]]-1)
		default:
			moved[was.Rows[from]] = 1 + add(was.Values[was.Rows[from]])
		}
	}
	return merged
}

// columnsAtOnce are the columns of one statement.
const columnsAtOnce = 32

// Write writes the prepared columns.
func (p Prepared) Write(ctx context.Context, tx db.Tx) error {
	for some := range slices.Chunk(p.columns, columnsAtOnce) {
		values, args := db.Values(some, func(s *stored) []any { return []any{&p.siteID, &s.name, &s.day, &s.content} })
		if err := tx.Send(ctx, `INSERT INTO report_columns (site_id, name, day, content) `+values+`
			ON CONFLICT (site_id, name, day) DO UPDATE SET content = EXCLUDED.content`, args...); err != nil {
			return err
		}
	}
	return nil
}

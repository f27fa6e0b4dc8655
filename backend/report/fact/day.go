package fact

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/column"
)

// openDay is a day of a site whose columns are read as they are needed.
type openDay struct {
	f           *Family
	from        db.Queries
	siteID, day int64
	ids         []int64
	held        map[string][]byte // the columns by their names; nil for a day with more rows than longDay
}

// longDay is how many rows a day has at most whose columns are read together.
const longDay = 1 << 16

func (f *Family) open(ctx context.Context, from db.Queries, siteID, day int64) (*openDay, error) {
	d := &openDay{f: f, from: from, siteID: siteID, day: day}
	id := f.Numbers[ID]
	first, err := d.read(ctx, whole, id)
	if err != nil {
		return nil, err
	}
	d.held = first
	if piece := first[whole]; len(piece) > 0 { // it counts, and no column beside it
		d.held = make(map[string][]byte)
		if err := divide(piece, func(name string, content []byte) error {
			d.held[name] = content
			return nil
		}); err != nil {
			return nil, d.broken(whole, err)
		}
	}
	if content := d.held[id]; len(content) > 0 {
		if d.ids, err = column.ReadNumbers(content); err != nil {
			return nil, d.broken(id, err)
		}
	}
	switch {
	case len(first[whole]) > 0: // it has all of them
	case len(d.ids) > longDay:
		d.held = nil
	case len(d.ids) > 0:
		d.held, err = d.read(ctx, slices.Concat(f.Numbers[1:], f.Texts)...) // what the first are is known
	}
	return d, err
}

// read reads columns. Those that are not kept are missing.
func (d *openDay) read(ctx context.Context, names ...string) (map[string][]byte, error) {
	args := []any{d.siteID, d.day}
	var marks []string
	for _, name := range names {
		args = append(args, d.f.Name+"."+name)
		marks = append(marks, "$"+strconv.Itoa(len(args)))
	}
	columns, err := db.List(ctx, d.from, func(s *stored) []any { return []any{&s.name, &s.content} },
		`SELECT name, content FROM report_columns WHERE site_id = $1 AND day = $2 AND name IN (`+strings.Join(marks, ", ")+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the figures of a site: %w", err)
	}
	contents := make(map[string][]byte, len(columns))
	for _, s := range columns {
		contents[d.f.nameOf(s)] = s.content
	}
	return contents, nil
}

func (d *openDay) content(ctx context.Context, name string) ([]byte, error) {
	contents := d.held
	if contents == nil {
		var err error
		if contents, err = d.read(ctx, name); err != nil {
			return nil, err
		}
	}
	return contents[name], nil
}

// numbers returns a column of numbers by its place in the family: zeros if the family did not have it when the day was kept.
func (d *openDay) numbers(ctx context.Context, c int) ([]int64, error) {
	if c == ID {
		return d.ids, nil
	}
	name := d.f.Numbers[c]
	content, err := d.content(ctx, name)
	if err != nil || len(content) == 0 {
		return make([]int64, len(d.ids)), err
	}
	numbers, err := column.ReadNumbers(content)
	if err == nil && len(numbers) != len(d.ids) {
		err = column.ErrBroken
	}
	if err != nil {
		return nil, d.broken(name, err)
	}
	return numbers, nil
}

// texts returns a column of texts by its place in the family: empty texts if the family did not have it when the day was kept.
func (d *openDay) texts(ctx context.Context, c int) (column.Texts, error) {
	name := d.f.Texts[c]
	content, err := d.content(ctx, name)
	if err != nil || len(content) == 0 {
		return column.Texts{Values: []string{""}, Rows: make([]uint32, len(d.ids))}, err
	}
	texts, err := column.ReadTexts(content)
	if err == nil && len(texts.Rows) != len(d.ids) {
		err = column.ErrBroken
	}
	if err != nil {
		return column.Texts{}, d.broken(name, err)
	}
	return texts, nil
}

// rows returns the rows of the day that are wanted, by their ids.
func (d *openDay) rows(ctx context.Context, wanted func(id int64) bool) (map[int64]Row, error) {
	rows, at := make(map[int64]Row), make(map[int64]int)
	for i, id := range d.ids {
		if wanted(id) {
			rows[id], at[id] = Row{make([]int64, len(d.f.Numbers)), make([]string, len(d.f.Texts))}, i
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	for c := range d.f.Numbers {
		numbers, err := d.numbers(ctx, c)
		if err != nil {
			return nil, err
		}
		for id, row := range rows {
			row.Numbers[c] = numbers[at[id]]
		}
	}
	for c := range d.f.Texts {
		texts, err := d.texts(ctx, c)
		if err != nil {
			return nil, err
		}
		for id, row := range rows {
			row.Texts[c] = texts.Values[texts.Rows[at[id]]]
		}
	}
	return rows, nil
}

func (d *openDay) broken(name string, err error) error {
	return fmt.Errorf("reading %s.%s of site %d, day %d: %w", d.f.Name, name, d.siteID, d.day, err)
}

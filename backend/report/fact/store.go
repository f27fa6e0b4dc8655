package fact

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/column"
)

// stored is a column of a day as it is kept.
type stored struct {
	name    string
	day     int64
	content []byte
}

// Load returns the days of the site from the first day to the last, the oldest first, with the columns of the family that are named by
// their places. Days without rows are missing.
func Load(ctx context.Context, from db.Queries, siteID int64, f *Family, first, last int64, numbers, texts []int) ([]Block, error) {
	wanted := wanted{numbers: make([]bool, len(f.Numbers)), texts: make([]bool, len(f.Texts))}
	args := []any{siteID, first, last, f.Name + "." + whole}
	names := []string{"$4"}
	add := func(name string) {
		args = append(args, f.Name+"."+name)
		names = append(names, "$"+strconv.Itoa(len(args)))
	}
	for _, c := range numbers {
		wanted.numbers[c] = true
		add(f.Numbers[c])
	}
	for _, c := range texts {
		wanted.texts[c] = true
		add(f.Texts[c])
	}
	columns, err := db.List(ctx, from, func(s *stored) []any { return []any{&s.name, &s.day, &s.content} },
		`SELECT name, day, content FROM report_columns WHERE site_id = $1 AND day >= $2 AND day <= $3 AND name IN (`+strings.Join(names, ", ")+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the figures of a site: %w", err)
	}
	days := make(map[int64]*Block)
	pieces := make(map[int64]bool)
	for _, ofPiece := range []bool{true, false} { // what is in a piece counts, and no column beside it
		for _, s := range columns {
			name := f.nameOf(s)
			if ofPiece != (name == whole) || ofPiece && len(s.content) == 0 || pieces[s.day] {
				continue
			}
			b := days[s.day]
			if b == nil {
				b = &Block{Day: s.day, Numbers: make([][]int64, len(f.Numbers)), Texts: make([]column.Texts, len(f.Texts))}
				days[s.day] = b
			}
			if ofPiece {
				pieces[s.day] = true
				err = divide(s.content, func(name string, content []byte) error { return b.read(f, wanted, name, content) })
			} else {
				err = b.read(f, wanted, name, s.content)
			}
			if err != nil {
				return nil, fmt.Errorf("reading %s of site %d, day %d: %w", s.name, siteID, s.day, err)
			}
		}
	}
	blocks := make([]Block, 0, len(days))
	for _, b := range days {
		b.complete(numbers, texts)
		blocks = append(blocks, *b)
	}
	slices.SortFunc(blocks, func(a, b Block) int { return cmp.Compare(a.Day, b.Day) })
	return blocks, nil
}

// wanted says which columns are asked for, by their places.
type wanted struct{ numbers, texts []bool }

func (b *Block) read(f *Family, w wanted, name string, content []byte) (err error) {
	if c := slices.Index(f.Numbers, name); c >= 0 && w.numbers[c] {
		b.Numbers[c], err = column.ReadNumbers(content)
	} else if c := slices.Index(f.Texts, name); c >= 0 && w.texts[c] {
		b.Texts[c], err = column.ReadTexts(content)
	}
	return err
}

// complete fills in the columns that were asked for and that the family did not have when the day was kept.
func (b *Block) complete(numbers, texts []int) {
	n := b.Len()
	for _, c := range numbers {
		if len(b.Numbers[c]) == 0 {
			b.Numbers[c] = make([]int64, n)
		}
	}
	for _, c := range texts {
		if n > 0 && len(b.Texts[c].Rows) == 0 {
			b.Texts[c] = column.Texts{Values: []string{""}, Rows: make([]uint32, n)}
		}
	}
}

// Until is up to when the columns are current; zero if they were never filled.
func Until(ctx context.Context, from db.Queries) (time.Time, error) {
	until, _, err := db.One(ctx, from, db.Only[int64], `SELECT until FROM report_progress WHERE name = 'visits'`)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading how current reports are: %w", err)
	}
	return db.Time(until), nil
}

// SetUntil stores up to when the columns are current.
func SetUntil(ctx context.Context, tx db.Tx, until time.Time) error {
	return tx.Send(ctx, `INSERT INTO report_progress (name, until) VALUES ('visits', $1) ON CONFLICT (name) DO UPDATE SET until = EXCLUDED.until`, db.Millis(until))
}

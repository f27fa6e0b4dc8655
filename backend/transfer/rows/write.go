package rows

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// Writer writes the rows of a site.
type Writer struct {
	DB     *db.DB
	Keys   *key.Keys
	SiteID int64
	// Logins are those of the accounts.
	Logins map[int64]string
	// Out takes each line.
	Out io.Writer
	// Tell is called now and then with how many rows have been written.
	Tell func(rows int64)
}

// HeadsOf returns the heads of rows that the queries see.
func HeadsOf(ctx context.Context, from db.Queries) (Heads, error) {
	given, err := table.Given(ctx, from)
	if err != nil {
		return Heads{}, err
	}
	h := Heads{make(map[string]int64, len(sequences))}
	for _, s := range sequences {
		h.Sequences[string(s)] = max(given[string(s)], 1)
	}
	return h, nil
}

// writing is what is known while rows are written.
type writing struct {
	Writer
	heads Heads
	named map[int64]bool // the operators that have been named
	buf   []byte
	end   End
}

// Write writes the rows that the queries see, behind so many lines of the file, and its end.
func (w Writer) Write(ctx context.Context, from db.Queries, heads Heads, before int64) (End, error) {
	all, err := tables(ctx, w.DB)
	if err != nil {
		return End{}, err
	}
	s := writing{Writer: w, heads: heads, named: make(map[int64]bool), end: End{Lines: before}}
	for i, t := range all {
		if err := s.table(ctx, from, &plan[i], t); err != nil {
			return End{}, fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	s.end.Lines++
	return s.end, s.out(Line{End: &s.end})
}

func (s *writing) out(l Line) error {
	text, err := json.Marshal(l)
	if err == nil {
		_, err = s.Out.Write(append(text, '\n'))
	}
	return err
}

func (s *writing) line(l Line) error {
	s.end.Lines++
	return s.out(l)
}

func (s *writing) table(ctx context.Context, from db.Queries, m *moved, t table.Table) error {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	if err := s.line(Line{Table: &Table{t.Name, names}}); err != nil {
		return err
	}
	// All comes from one moment, so nothing is held up by one query that lasts.
	return db.Each(ctx, from, scanner(t), func(r *record) error {
		r.columns = t.Columns
		r.settle()
		s.Tell(s.end.Rows)
		return s.row(m, r)
	}, `SELECT `+strings.Join(names, ", ")+` FROM `+t.Name+` WHERE site_id = $1 ORDER BY `+t.InOrder(), s.SiteID)
}

func (s *writing) row(m *moved, r *record) error {
	err := r.renumber(m, s.neutral, func(pool string) string { // without the number of the site
		if own, is := strings.CutPrefix(pool, fmt.Sprint(s.SiteID, "/")); is {
			return "/" + own
		}
		return pool
	})
	if err != nil {
		return err
	}
	line, bytes, err := r.appendRow(s.buf[:0])
	if err != nil {
		return err
	}
	if len(line) > MaxRow-1 || len(bytes) > maxBytes {
		return fmt.Errorf("a row has %d bytes and %d: an import takes %d and %d", len(line), len(bytes), MaxRow-1, maxBytes)
	}
	for i, value := range r.values {
		if n, is := value.(int64); is && !inRange(m, r.columns[i].Name, n) {
			return fmt.Errorf("%s: an import does not take %d", r.columns[i].Name, n)
		}
	}
	s.buf = line
	s.end.Lines++
	s.end.Rows++
	if _, err := s.Out.Write(line); err != nil {
		return err
	}
	for piece := range slices.Chunk(bytes, pieceSize) {
		s.buf = appendPiece(s.buf[:0], piece)
		s.end.Lines++
		if _, err := s.Out.Write(s.buf); err != nil {
			return err
		}
	}
	return nil
}

// neutral is the number as it stands in the file.
func (s *writing) neutral(of reference, n int64) (int64, error) {
	switch of {
	case publicVisitor:
		return s.drawn(s.Keys.Visitors.Number(key.ID(n))), nil
	case publicVisit:
		return s.drawn(s.Keys.Visits.Number(key.ID(n))), nil
	case publicView:
		return s.drawn(s.Keys.Views.Number(key.ID(n))), nil
	case ofOperator:
		login, has := s.Logins[n]
		if !has { // the account is gone
			return 0, nil
		}
		if s.named[n] {
			return n, nil
		}
		s.named[n] = true
		return n, s.line(Line{Operator: &Operator{n, login}})
	case ofGroup:
		return s.heads.group(n), nil
	case ofView: // also in figures
		return s.drawn(n), nil
	}
	return n, nil
}

// drawn is the number of a view, or 0 for one that was never drawn: a site's server names visitors as it likes. What an
// import in a year would refuse as too old was not drawn, either.
func (s *writing) drawn(n int64) int64 {
	next := s.heads.Sequences[string(ofView)]
	if n >= next || next-n > daysOf(oldest-366*24*time.Hour) {
		return 0
	}
	return n
}

// scanner returns the fields of a record of the table.
func scanner(t table.Table) func(*record) []any {
	return func(r *record) []any {
		r.values = make([]any, len(t.Columns))
		for i, c := range t.Columns {
			switch {
			case c.Type == table.Number:
				r.values[i] = new(int64)
			case c.Type == table.Truth:
				r.values[i] = new(bool)
			case c.Type == table.Bytes:
				r.values[i] = new([]byte)
			case c.Nullable:
				r.values[i] = new(*string)
			default:
				r.values[i] = new(string)
			}
		}
		return slices.Clone(r.values)
	}
}

// settle has the values in the place of the pointers to them.
func (r *record) settle() {
	for i, value := range r.values {
		switch v := value.(type) {
		case *int64:
			r.values[i] = *v
		case *bool:
			r.values[i] = *v
		case *string:
			r.values[i] = *v
		case *[]byte:
			r.values[i] = *v
		case **string:
			if r.values[i] = any(nil); *v != nil {
				r.values[i] = **v
			}
		}
	}
}

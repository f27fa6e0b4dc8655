package person

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Export writes all that would be erased, as one JSON object, row by row:
//
//	{"made_at": TIME, "person": HASH, "tables": {TABLE: [{COLUMN: VALUE, ...}, ...], ...}}
//
// Who has exported is noted before anything is written. begin is called then; it may be nil.
func (p *Persons) Export(ctx context.Context, by string, s Sought, w io.Writer, begin func()) error {
	known, marks, err := p.look(ctx, s)
	if err == nil {
		err = p.note(ctx, operator.Exported, by, s.Sites, known.Person, known.Total())
	}
	if err != nil {
		return err
	}
	if begin != nil {
		begin()
	}
	out := bufio.NewWriter(w)
	head, err := json.Marshal(map[string]string{"made_at": p.now().UTC().Format(time.RFC3339), "person": known.Person})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s,\n\"tables\": {", head[:len(head)-1])
	// A table may be described in several places, and stands in one.
	tables := 0
	for _, of := range known.Rows {
		if tables++; tables > 1 {
			out.WriteByte(',')
		}
		fmt.Fprintf(out, "\n%q: [", of.Table)
		rows := 0
		err := p.each(marks, func(t trace.Table, m trace.Mark) error {
			if t.Name != of.Table {
				return nil
			}
			return t.Each(ctx, p.db.Read(), m, func(row json.RawMessage) error {
				if rows++; rows > 1 {
					out.WriteByte(',')
				}
				out.WriteByte('\n')
				_, err := out.Write(row)
				return err
			})
		})
		if err != nil {
			return err // the object stays open: nobody takes it for whole
		}
		out.WriteString("]")
	}
	out.WriteString("}}\n")
	return out.Flush()
}

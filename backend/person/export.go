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
	found, err := p.look(ctx, s)
	if err == nil {
		err = p.note(ctx, operator.Exported, by, s.Sites, found.Person, found.Total())
	}
	if err != nil {
		return err
	}
	if begin != nil {
		begin()
	}
	out := bufio.NewWriter(w)
	head, err := json.Marshal(map[string]string{"made_at": p.now().UTC().Format(time.RFC3339), "person": found.Person})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s,\n\"tables\": {", head[:len(head)-1])
	// A table may be described in several places, and stands in one.
	tables := 0
	for _, of := range found.Rows {
		if tables++; tables > 1 {
			out.WriteByte(',')
		}
		fmt.Fprintf(out, "\n%q: [", of.Table)
		rows := 0
		write := func(row json.RawMessage) error {
			if rows++; rows > 1 {
				out.WriteByte(',')
			}
			out.WriteByte('\n')
			_, err := out.Write(row)
			return err
		}
		err := p.each(found.marks, func(t trace.Table, m trace.Mark) error {
			if t.Name != of.Table {
				return nil
			}
			return t.Each(ctx, p.db.Read(), m, write)
		})
		for _, r := range found.rows {
			if err == nil && r.Table() == of.Table {
				err = r.Each(ctx, p.db.Read(), write)
			}
		}
		if err != nil {
			return err // the object stays open: nobody takes it for whole
		}
		out.WriteString("]")
	}
	out.WriteString("}}\n")
	return out.Flush()
}

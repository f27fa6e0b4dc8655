package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// The kinds of the journal's entries for what was done with visitors' data: their Data is a [Handled].
const (
	Exported     = "operator.exported"
	PersonLooked = "operator.person_looked"
	PersonErased = "operator.person_erased"
)

// Handled says who has done what with visitors' data. It names no visitor.
type Handled struct {
	// By is a login, or empty for whoever runs the server.
	By string `json:"by"`
	// What was looked at, exported or erased: person, or what a list is of, such as leads.
	What string `json:"what"`
	// Person is a keyed hash that stands for a person.
	Person string `json:"person,omitempty"`
	// Rows is how many rows these were; 0 where nobody has counted.
	Rows int64 `json:"rows"`
}

// NoteHandled appends to the journal what was done, in the transaction: an entry at each of the sites, or one for all.
func NoteHandled(ctx context.Context, tx db.Tx, kind string, at time.Time, sites scope.Sites, h Handled) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	ids := NotedAt(sites)
	entries := make([]journal.Entry, len(ids))
	for i, id := range ids {
		entries[i] = journal.Entry{SiteID: id, At: at, Kind: kind, Data: data}
	}
	return journal.AppendAll(ctx, tx, entries)
}

// NotedAt are the sites at which it is noted what is done at the sites: 0 stands for all.
func NotedAt(sites scope.Sites) []int64 {
	if sites.All() {
		return []int64{0}
	}
	return sites.IDs()
}

// NoteExport notes that the actor has exported a list of the sites, and returns when that is durable. It is called
// before the list goes out.
func (o *Operators) NoteExport(ctx context.Context, by string, sites scope.Sites, what string, rows int64) error {
	err := o.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		return NoteHandled(ctx, tx, Exported, o.now(), sites, Handled{By: by, What: what, Rows: rows})
	})
	if err != nil {
		return fmt.Errorf("noting an export: %w", err)
	}
	return nil
}

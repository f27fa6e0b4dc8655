package journal_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// A lead is told to the journal in the transaction that stores it. Whoever acts on leads reads the journal from a position
// that is kept under a name.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "journal-")
	check(err)
	defer os.RemoveAll(folder)
	d, err := db.Open(ctx, db.Settings{Engine: db.SQLite, Source: filepath.Join(folder, "frontdesk.db")}, zap.NewNop())
	check(err)
	defer d.Close()
	check(d.Migrate(ctx))

	for _, lead := range []int64{7, 8} {
		check(d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			return journal.Append(ctx, tx, journal.Entry{SiteID: 1, At: time.Now(), Kind: "lead.added", SubjectID: lead})
		}))
	}

	running, stop := context.WithCancel(ctx)
	r := journal.New(d).Reader("greeter", func(_ context.Context, tx db.Tx, entries []journal.Entry) error {
		for _, e := range entries { // what is written to tx is committed with the position
			fmt.Println(e.Kind, e.SubjectID)
		}
		stop()
		return nil
	}, func(err error) { fmt.Println(err) })
	r.Run(running)
	// Output:
	// lead.added 7
	// lead.added 8
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/queue"
)

// A job is added in the transaction of what it belongs to, and done as often as it takes.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "queue-")
	check(err)
	defer os.RemoveAll(folder)
	d, err := db.Open(ctx, db.Settings{Engine: db.SQLite, Source: filepath.Join(folder, "frontdesk.db")}, zap.NewNop())
	check(err)
	defer d.Close()
	check(d.Migrate(ctx))

	running, stop := context.WithCancel(ctx)
	q := queue.New(d, zap.NewNop())
	q.Handle("letter", queue.Handler{Do: func(_ context.Context, j queue.Job) error {
		fmt.Println(j.Target, string(j.Payload))
		if j.Attempts == 0 {
			return errors.New("the mailbox is full") // it is tried again a second later
		}
		stop()
		return nil
	}})
	check(d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		// What the letter is about is written here, too.
		return queue.Add(ctx, tx, queue.Job{SiteID: 1, Kind: "letter", Target: "anna@shop.example", Payload: json.RawMessage(`{"lead":7}`)})
	}))
	q.Run(running)
	// Output:
	// anna@shop.example {"lead":7}
	// anna@shop.example {"lead":7}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

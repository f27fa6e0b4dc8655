package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/replica"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// ErrNoDatabase is returned by Examine when there is no SQLite file yet and one
// can be made.
var ErrNoDatabase = errors.New("there is no database yet")

// Findings are what Examine finds.
type Findings struct {
	// Pending is how many steps of migration the schema lacks.
	Pending int
	// Operators is how many accounts there are; 0 while Pending is not.
	Operators int
	// Replicas are those that are not asked, and why.
	Replicas []replica.Trouble
}

// Examine looks at a database that may be in use, and leaves it as it was. It reads the whole
// file of SQLite.
func Examine(ctx context.Context, settings db.Settings) (Findings, error) {
	if settings.Engine == db.SQLite {
		_, file := os.Stat(settings.Source)
		_, log := os.Stat(settings.Source + "-wal")
		if errors.Is(file, os.ErrNotExist) && errors.Is(log, os.ErrNotExist) {
			return Findings{}, cmp.Or(canMake(settings.Source), ErrNoDatabase)
		}
	}
	found, err := examine(ctx, settings)
	return found, conceal(settings, err)
}

func examine(ctx context.Context, settings db.Settings) (found Findings, err error) {
	d, err := db.Open(ctx, settings, zap.NewNop())
	if err != nil {
		return Findings{}, err
	}
	defer d.Close()
	if err := d.Examine(ctx); err != nil {
		return Findings{}, err
	}
	if found.Pending, err = d.Pending(ctx); err != nil {
		return Findings{}, err
	}
	if err := d.CheckWrite(ctx); err != nil {
		return Findings{}, fmt.Errorf("writing: %w", err)
	}
	if found.Pending > 0 {
		return found, nil
	}
	found.Replicas = replicasOf(ctx, d)
	accounts, err := operator.New(d, time.Now).List(ctx, scope.All())
	if err != nil {
		return Findings{}, err
	}
	found.Operators = len(accounts)
	return found, nil
}

// replicasOf waits until all replicas have been looked at.
func replicasOf(ctx context.Context, d *db.DB) []replica.Trouble {
	ctx, cancel := context.WithTimeout(ctx, 2*replica.Patience)
	defer cancel()
	for {
		troubles := d.Replicas()
		if !slices.ContainsFunc(troubles, func(t replica.Trouble) bool { return t.Since.IsZero() }) || !aside.Sleep(ctx, 50*time.Millisecond) {
			return troubles
		}
	}
}

// canMake tells why a file cannot be made at the path, by making one beside it.
func canMake(path string) error {
	folder := filepath.Dir(path)
	for {
		if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
			break
		}
		folder = filepath.Dir(folder)
	}
	trial, err := os.CreateTemp(folder, ".frontdesk-*")
	if err != nil {
		return fmt.Errorf("making its file: %w", err)
	}
	return errors.Join(trial.Close(), os.Remove(trial.Name()))
}

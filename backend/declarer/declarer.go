// Package declarer knows which configurations have declared things in the database.
//
// A declarer is the configuration of one node, or of several nodes with the same file, and has a name. The tables of
// the subjects keep this name with everything that it declares. Stopping a node takes nothing back. A declarer that no
// node has shown for [KeepFor] counts as gone.
package declarer

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

const (
	// KeepFor is how long declarations outlast the last node of their declarer.
	KeepFor = 7 * 24 * time.Hour
	// ShowEvery is how often a running node shows its declarer.
	ShowEvery = time.Hour
)

// validName is for names of longest characters at most. To count them here would take megabytes.
var validName = regexp.MustCompile(`^[\pL\pN._:-]+$`)

const longest = 64

// ValidName returns an error for a text that cannot be the name of a configuration.
func ValidName(name string) error {
	if utf8.RuneCountInString(name) > longest || !validName.MatchString(name) {
		return fmt.Errorf("%.80q is not a name for a configuration: expected 1 to 64 letters, digits, '.', '_', ':' and '-'", name)
	}
	return nil
}

// Wait waits until nobody else declares, and keeps others from declaring until the end of the transaction.
func Wait(ctx context.Context, tx db.Tx) error {
	if err := tx.Lock(ctx, declaring); err != nil {
		return fmt.Errorf("waiting for other nodes that declare: %w", err)
	}
	return nil
}

// declaring is the key of the lock for which declarers wait. It is negative, because visitors have the others.
const declaring = -1

// Show notes that a node of the declarer runs. Until the end of the transaction, nobody else declares. known says
// whether the declarer was known: otherwise nothing that it has declared is left.
func Show(ctx context.Context, tx db.Tx, name string) (known bool, err error) {
	if err := Wait(ctx, tx); err != nil {
		return false, err
	}
	_, known, err = db.One(ctx, tx, db.Only[string], `SELECT name FROM declarers WHERE name = $1`, name)
	if err != nil {
		return false, fmt.Errorf("looking for the declarer: %w", err)
	}
	_, err = tx.Exec(ctx, `INSERT INTO declarers (name, seen_at) VALUES ($1, `+db.Clock(tx.Engine())+`)
		ON CONFLICT (name) DO UPDATE SET seen_at = EXCLUDED.seen_at`, name)
	if err != nil {
		return false, fmt.Errorf("noting the declarer: %w", err)
	}
	return known, nil
}

// Gone returns the names of the declarers that are gone, and forgets them. The caller ends their declarations, in the
// same transaction.
func Gone(ctx context.Context, tx db.Tx) (names []string, err error) {
	names, err = db.List(ctx, tx, db.Only[string], `DELETE FROM declarers WHERE seen_at < `+db.Clock(tx.Engine())+` - $1 RETURNING name`, KeepFor.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("looking for declarers that are gone: %w", err)
	}
	slices.Sort(names)
	return names, nil
}

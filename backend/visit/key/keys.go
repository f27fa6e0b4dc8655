// Package key names visitors, visits and views: by the numbers of the tables, by the ids that others see, and by the
// signed strings that browsers are given.
package key

import (
	"context"
	"crypto/aes"
	"fmt"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
)

// ID is the public number of a visitor, a visit or a view. 0 < ID < 2^53, so that JavaScript holds it exactly. IDs
// that are known say nothing about others.
type ID int64

// Ref identifies a page view by its three ids.
type Ref struct {
	Visitor, Visit, View ID
}

// Row is a [Ref] by the numbers of the tables. A number of 0 is that of no row.
type Row struct {
	Visitor, Visit, View int64
}

// Keys translates between numbers and ids, and signs what browsers are given. It is safe for concurrent use.
type Keys struct {
	Visitors, Visits, Views Permutation

	// A view has a number of its own. A visit has the number of its first view, and a visitor that of the first
	// visit. Their ids do not show this.
	numbers *db.Sequence
	// Parts are the tables that PostgreSQL has in partitions by the numbers of visits.
	Parts   *partition.Tables
	signers sync.Pool // of signer
	now     func() time.Time
}

// block is how many numbers a node reserves at once. Everyone who reports a view waits for this, so it has to be rare.
const block = 1 << 14

// Open returns the keys of the database, which has to be migrated. The first call makes the secrets of the ids and the
// signatures. They are the same on every node.
func Open(ctx context.Context, d *db.DB, now func() time.Time) (*Keys, error) {
	signing, err := d.Secret(ctx, "visit.signing")
	if err != nil {
		return nil, err
	}
	secret, err := d.Secret(ctx, "visit.ids")
	if err != nil {
		return nil, err
	}
	cipher, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("making ids: %w", err)
	}
	return &Keys{
		Visitors: Permutation{cipher, 'v'}, Visits: Permutation{cipher, 's'}, Views: Permutation{cipher, 'h'},
		numbers: db.DaySequence(d, "visit.views", block), Parts: partition.New(d, plain.Visits, plain.Views, plain.Events), signers: sync.Pool{New: func() any { return newSigner(signing) }}, now: now,
	}, nil
}

// Next draws the number of a view, after which rows of the view can be stored. A number that is not used is skipped. It tells
// the day (UTC) of this node's clock, or a later one if a node's clock was ahead: so numbers come in about the order of
// time, also while a clock is set back.
func (k *Keys) Next(ctx context.Context) (int64, error) {
	number, err := k.numbers.NextFrom(ctx, partition.First(k.now()))
	if err == nil && !k.Parts.Ready(number) {
		_, err = k.Parts.Cover(ctx, number, number)
	}
	return number, err
}

// Again looks anew which partitions there are, and makes that of the number if it is missing: somebody has taken one away.
func (k *Keys) Again(ctx context.Context, number int64) error {
	k.Parts.Forget()
	_, err := k.Parts.Cover(ctx, number, number)
	return err
}

// ahead is how long before a day the partition is made that it needs.
const ahead = 3 * 24 * time.Hour

// Prepare makes the partitions that the next days need, if there are none, for visits that are kept for that long (for ever
// with 0). So no view waits for that.
func (k *Keys) Prepare(ctx context.Context, kept time.Duration) error {
	k.Parts.Keep(kept)
	now := k.now()
	_, err := k.Parts.Cover(ctx, partition.First(now), partition.First(now.Add(ahead)))
	return err
}

// Tables are the names of the tables that have the rows of a visit: see [Keys.Tables].
type Tables struct{ Visits, Views, Events string }

var plain = Tables{"visits", "views", "user_events"}

// Tables returns the tables for statements about one visit. They are partitions for a visit of today and yesterday, which are
// not dropped before that is long ago; a statement then costs PostgreSQL no plan for all of them.
func (k *Keys) Tables(visit int64) Tables {
	if visit < partition.First(k.now().Add(-24*time.Hour)) {
		return plain
	}
	if names := k.Parts.Names(visit); names != nil {
		return Tables{names[0], names[1], names[2]}
	}
	return plain
}

// Row is the numbers of the ids.
func (k *Keys) Row(ref Ref) Row {
	return Row{k.Visitors.Number(ref.Visitor), k.Visits.Number(ref.Visit), k.Views.Number(ref.View)}
}

// Ref is the ids of the numbers.
func (k *Keys) Ref(r Row) Ref {
	return Ref{Visitor: k.Visitors.ID(r.Visitor), Visit: k.Visits.ID(r.Visit), View: k.Views.ID(r.View)}
}

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
		numbers: d.Sequence("visit.views", block), signers: sync.Pool{New: func() any { return newSigner(signing) }}, now: now,
	}, nil
}

// Next draws the number of a view. A number that is not used is skipped.
func (k *Keys) Next(ctx context.Context) (int64, error) { return k.numbers.Next(ctx) }

// Row is the numbers of the ids.
func (k *Keys) Row(ref Ref) Row {
	return Row{k.Visitors.Number(ref.Visitor), k.Visits.Number(ref.Visit), k.Views.Number(ref.View)}
}

// Ref is the ids of the numbers.
func (k *Keys) Ref(r Row) Ref {
	return Ref{Visitor: k.Visitors.ID(r.Visitor), Visit: k.Visits.ID(r.Visit), View: k.Views.ID(r.View)}
}

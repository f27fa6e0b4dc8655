package site

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// ErrArriving is returned for a site whose data are on their way from another installation. Its text may be shown.
var ErrArriving = errors.New("the data of this site are being imported, or an import of them has broken off")

// Arrive has the site, which is new in this transaction, treated as retired until [Arrived].
func (s *Sites) Arrive(ctx context.Context, tx db.Tx, id int64) error {
	_, err := tx.Exec(ctx, `UPDATE sites SET arriving_at = $1, version = version + 1 WHERE id = $2`, s.now().UnixMilli(), id)
	if err != nil {
		return fmt.Errorf("adding a site: %w", err)
	}
	return nil
}

// Arriving returns the id of the site of the key, in any case, whose data are arriving; 0 for none.
func (s *Sites) Arriving(ctx context.Context, key string) (id int64, err error) {
	id, _, err = db.One(ctx, s.db.Read(), db.Only[int64], `SELECT id FROM sites WHERE LOWER(key) = LOWER($1) AND arriving_at <> 0`, key)
	if err != nil {
		return 0, fmt.Errorf("looking for an import: %w", err)
	}
	return id, nil
}

// StillArriving returns an error unless the site's data are arriving. It stays so for the transaction.
func StillArriving(ctx context.Context, tx db.Tx, id int64) error {
	return hold(ctx, tx, id, `arriving_at > 0`, "another command has taken the import back")
}

func hold(ctx context.Context, tx db.Tx, id int64, condition, otherwise string) error {
	_, found, err := db.One(ctx, tx, db.Only[int64], `SELECT id FROM sites WHERE id = $1 AND `+condition+` FOR UPDATE`, id)
	if err == nil && !found {
		err = errors.New(otherwise)
	}
	return err
}

// Arrived has the site served.
func Arrived(ctx context.Context, tx db.Tx, id int64) error {
	if err := StillArriving(ctx, tx, id); err != nil {
		return err
	}
	tx.Wake(Topic)
	_, err := tx.Exec(ctx, `UPDATE sites SET arriving_at = 0, version = version + 1 WHERE id = $1`, id)
	return err
}

// Leave has what has arrived of the site be taken back: from then on nothing arrives, and the site is never served. leaving
// is false for a site whose data are not arriving, and served is true for one that has arrived.
func Leave(ctx context.Context, tx db.Tx, id int64) (leaving, served bool, err error) {
	at, found, err := db.One(ctx, tx, db.Only[int64], `SELECT arriving_at FROM sites WHERE id = $1 FOR UPDATE`, id)
	if err != nil || !found || at == 0 {
		return false, found && err == nil, err
	}
	_, err = tx.Exec(ctx, `UPDATE sites SET arriving_at = $1 WHERE id = $2`, min(at, -at), id)
	return true, false, err
}

// StillLeaving returns an error unless [Leave] has been called for the site. It stays so for the transaction.
func StillLeaving(ctx context.Context, tx db.Tx, id int64) error {
	return hold(ctx, tx, id, `arriving_at < 0`, "the site has arrived, or is gone")
}

// Gone removes the site of which nothing is left.
func Gone(ctx context.Context, tx db.Tx, id int64) error {
	tx.Wake(Topic)
	_, err := tx.Exec(ctx, `DELETE FROM sites WHERE id = $1 AND arriving_at < 0`, id)
	return err
}

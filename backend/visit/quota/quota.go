// Package quota bounds how much the visitors of a site may have stored on a day.
package quota

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// Quota is how many bytes of texts and files the visitors of a site may have stored on a day (UTC). What is 0 is as in
// [DefaultQuota].
type Quota struct {
	// How many bytes of one visitor.
	Visitor int64 `json:"visitor,omitempty"`

	// How many bytes of all visitors of the site together.
	Site int64 `json:"site,omitempty"`
}

// DefaultQuota is the quota of a site that sets none.
var DefaultQuota = Quota{Visitor: 20_000_000, Site: 500_000_000}

// leastQuota is the least value of each.
const leastQuota = 100_000

// Check returns an error that says what was expected.
func (q Quota) Check() error {
	for _, bytes := range []int64{q.Visitor, q.Site} {
		if bytes != 0 && bytes < leastQuota {
			return errors.New("quota: expected 100KB or more")
		}
	}
	return nil
}

// UsualText is how many bytes a message may have that is stored whatever was stored before, and not counted: a page view
// of usual size costs no row more.
const UsualText = 1 << 10

// portion is a visitor on a day, or with 0 all visitors of the site.
type portion struct{ site, visitor, day int64 }

// Texts counts what is stored. It is safe for concurrent use.
type Texts struct {
	db     *db.DB
	keys   *key.Keys
	now    func() time.Time
	counts *db.Counter[portion, int64] // written in the transactions in which texts are stored
}

// New returns the texts of the database, which has to be migrated.
func New(d *db.DB, keys *key.Keys, now func() time.Time) *Texts {
	return &Texts{db: d, keys: keys, now: now, counts: db.NewCounter(func(a, b portion) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.visitor, b.visitor), cmp.Compare(a.day, b.day))
	}, store)}
}

func store(ctx context.Context, tx db.Tx, of portion, bytes int64) error {
	lane := int64(0)
	if of.visitor == 0 { // all count there
		lane = tx.Lane()
	}
	return tx.Send(ctx, `INSERT INTO stored_texts (site_id, visitor_id, day, lane, bytes) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (site_id, visitor_id, day, lane) DO UPDATE SET bytes = stored_texts.bytes + excluded.bytes`,
		of.site, of.visitor, of.day, lane, bytes)
}

// today is the day, counted from 1970.
func (t *Texts) today() int64 { return db.Day(t.now()) }

// HasRoom tells whether a message of so many bytes may be stored whole by the quota. A visitor of 0 is a new one. Several
// messages of the same moment may all find room.
func (t *Texts) HasRoom(ctx context.Context, siteID int64, visitor key.ID, size int, q Quota) (bool, error) {
	if size <= UsualText {
		return true, nil
	}
	type sums struct{ visitor, site int64 }
	have, _, err := db.One(ctx, t.db.Read(), func(s *sums) []any { return []any{&s.visitor, &s.site} },
		`SELECT CAST(COALESCE(SUM(CASE WHEN visitor_id <> 0 THEN bytes END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN visitor_id = 0 THEN bytes END), 0) AS BIGINT)
		FROM stored_texts WHERE site_id = $1 AND visitor_id IN (0, $2) AND day = $3`, siteID, t.keys.Visitors.Number(visitor), t.today())
	if err != nil {
		return false, fmt.Errorf("reading how much is stored: %w", err)
	}
	bytes := int64(size)
	return have.visitor+bytes <= cmp.Or(q.Visitor, DefaultQuota.Visitor) && have.site+bytes <= cmp.Or(q.Site, DefaultQuota.Site), nil
}

// Count counts a message of the visitor that is stored in the transaction.
func (t *Texts) Count(tx db.Tx, siteID int64, visitor key.ID, size int) {
	if size <= UsualText {
		return
	}
	add := func(sum *int64) { *sum += int64(size) }
	t.counts.Add(tx, portion{siteID, 0, t.today()}, add)
	if number := t.keys.Visitors.Number(visitor); number != 0 {
		t.counts.Add(tx, portion{siteID, number, t.today()}, add)
	}
}

// shortText is the size in bytes to which a text is cut that finds no room, and cutMark what it then ends with.
const (
	shortText = 400
	cutMark   = " […]"
)

// Shortened is the beginning of a text that finds no room, with a mark that it was cut.
func Shortened(text string) string {
	if len(text) <= shortText {
		return text
	}
	return clip.Text(text, shortText) + cutMark
}

// Prune deletes the counts of days that are over.
func (t *Texts) Prune(ctx context.Context) error {
	err := t.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM stored_texts WHERE day < $1`, t.today()-1) // clocks of nodes differ
		return err
	})
	if err != nil {
		return fmt.Errorf("pruning how much was stored: %w", err)
	}
	return nil
}

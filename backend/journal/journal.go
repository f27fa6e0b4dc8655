// Package journal keeps what happened, in order: a lead, an event, a change of settings. An entry is appended in the
// transaction that makes it happen, and whoever has to act on it later — a live page, a webhook, a mail — reads the
// journal from its own position.
package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Topic is what [db.DB.Subscribe] takes to hear that there are new entries.
const Topic = "journal"

// Position is a place in the journal. The zero Position is its beginning.
//
// Entries are ordered by their transaction first, because a transaction that took its numbers early may commit late: a
// reader that went by numbers alone would have passed it by.
type Position struct {
	Tx, Seq int64
}

// String is the text form, such as "712-34"; see [ParsePosition].
func (p Position) String() string {
	return strconv.FormatInt(p.Tx, 10) + "-" + strconv.FormatInt(p.Seq, 10)
}

// ParsePosition reads what [Position.String] wrote.
func ParsePosition(text string) (Position, error) {
	before, after, found := strings.Cut(text, "-")
	tx, errTx := strconv.ParseUint(before, 10, 63)
	seq, errSeq := strconv.ParseUint(after, 10, 63)
	if !found || errTx != nil || errSeq != nil {
		return Position{}, fmt.Errorf("%q is no position of the journal", text)
	}
	return Position{Tx: int64(tx), Seq: int64(seq)}, nil
}

// Behind reports whether p comes after q.
func (p Position) Behind(q Position) bool {
	return p.Tx > q.Tx || p.Tx == q.Tx && p.Seq > q.Seq
}

// Entry is one thing that happened.
type Entry struct {
	Position
	// SiteID is the site where it happened; 0 for what concerns all of them.
	SiteID int64
	// At is kept to the millisecond.
	At time.Time
	// Kind is a constant of the subject that appended the entry.
	Kind string
	// SubjectID is the lead, event or account that the entry is about.
	SubjectID int64
	// VisitorID is the visitor concerned, in public form; 0 for none.
	VisitorID int64
	// Data is a JSON object: as much as a reader needs to show the entry. Nil is stored as the empty object.
	Data json.RawMessage
}

// AppendAll is [Append] for many entries, a hundred in a statement.
func AppendAll(ctx context.Context, tx db.Tx, entries []Entry) error {
	type row struct {
		site, at         int64
		kind             string
		subject, visitor int64
		data             string
	}
	rows := make([]row, len(entries))
	for i, e := range entries {
		rows[i] = row{e.SiteID, e.At.UnixMilli(), e.Kind, e.SubjectID, e.VisitorID, dataOf(e)}
	}
	for some := range db.Parts(rows) {
		values, args := db.Values(some, func(r *row) []any { return []any{&r.site, &r.at, &r.kind, &r.subject, &r.visitor, &r.data} })
		if _, err := tx.Exec(ctx, `INSERT INTO journal (site_id, at, kind, subject_id, visitor_id, data) `+values, args...); err != nil {
			return fmt.Errorf("appending to the journal: %w", err)
		}
		tx.Wake(Topic)
	}
	return nil
}

func dataOf(e Entry) string {
	if e.Data == nil {
		return "{}"
	}
	return string(e.Data)
}

// Append adds the entry, whose Position is not read, and wakes the journal's readers when the transaction is committed.
func Append(ctx context.Context, tx db.Tx, e Entry) error {
	_, err := tx.Exec(ctx, `INSERT INTO journal (site_id, at, kind, subject_id, visitor_id, data) VALUES ($1, $2, $3, $4, $5, $6)`,
		e.SiteID, e.At.UnixMilli(), e.Kind, e.SubjectID, e.VisitorID, dataOf(e))
	if err != nil {
		return fmt.Errorf("appending to the journal: %w", err)
	}
	tx.Wake(Topic)
	return nil
}

// Journal reads the entries. It is safe for concurrent use.
type Journal struct {
	db *db.DB

	mu  sync.Mutex
	hub *hub // nil while nobody follows
}

// New returns the journal of the database.
func New(d *db.DB) *Journal { return &Journal{db: d} }

// After returns the entries behind the position, oldest first, limit at most.
//
// On PostgreSQL an entry is returned once every transaction that could still commit an earlier one has ended, so
// nothing is ever added before a position that was read.
func (j *Journal) After(ctx context.Context, p Position, limit int) ([]Entry, error) {
	return j.list(ctx, columns+` WHERE (tx, seq) > ($1, $2)`+j.settled()+` ORDER BY tx, seq LIMIT $3`, p.Tx, p.Seq, limit)
}

// Latest returns the entries of a kind, which has to have an index of its own, that are at the sites, behind one
// position and not behind another; newest first, limit at most.
func (j *Journal) Latest(ctx context.Context, kind string, sites scope.Sites, after, upto Position, limit int) ([]Entry, error) {
	// An index of one kind is found by the kind as it stands in the query.
	return j.list(ctx, columns+` WHERE kind = '`+kind+`' AND (tx, seq) > ($1, $2) AND (tx, seq) <= ($3, $4) AND `+sites.SQL("site_id")+j.settled()+`
		ORDER BY tx DESC, seq DESC LIMIT $5`, after.Tx, after.Seq, upto.Tx, upto.Seq, limit)
}

// readTime bounds one look at the journal. A connection that hangs is given up then, and the next look goes by another.
const readTime = 5 * time.Second

const columns = `SELECT tx, seq, site_id, at, kind, subject_id, visitor_id, data FROM journal`

// list reads entries by a query that begins with columns.
func (j *Journal) list(ctx context.Context, query string, args ...any) ([]Entry, error) {
	type row struct {
		Entry
		at   int64
		data string
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	rows, err := db.List(ctx, j.db.Read(), func(r *row) []any {
		return []any{&r.Tx, &r.Seq, &r.SiteID, &r.at, &r.Kind, &r.SubjectID, &r.VisitorID, &r.data}
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	entries := make([]Entry, len(rows))
	for i, r := range rows {
		entries[i] = r.Entry
		entries[i].At, entries[i].Data = time.UnixMilli(r.at), json.RawMessage(r.data)
	}
	return entries, nil
}

// End is the position of the last entry that [Journal.After] would return.
func (j *Journal) End(ctx context.Context) (Position, error) {
	p, _, err := db.One(ctx, j.db.Read(), func(p *Position) []any { return []any{&p.Tx, &p.Seq} },
		`SELECT tx, seq FROM journal WHERE seq > 0`+j.settled()+` ORDER BY tx DESC, seq DESC LIMIT 1`)
	if err != nil {
		return p, fmt.Errorf("reading the journal: %w", err)
	}
	return p, nil
}

// settled narrows a query to the transactions that none still open precedes. SQLite has one writer, whose transactions
// end in the order they began.
func (j *Journal) settled() string {
	if j.db.Engine() == db.Postgres {
		return ` AND tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
	}
	return ""
}

// administrative is true of entries about accounts and sites. It is that of the index.
const administrative = `(kind >= 'operator.' AND kind < 'operator/' OR kind >= 'site.' AND kind < 'site/')`

// Administration returns what was done to the sites and to those who work for them: the entries whose kind begins with
// "operator." or "site.", before the position, or the latest with the zero Position; newest first, limit at most.
func (j *Journal) Administration(ctx context.Context, sites scope.Sites, before Position, limit int) ([]Entry, error) {
	if before == (Position{}) {
		before = Position{math.MaxInt64, math.MaxInt64}
	}
	return j.list(ctx, columns+` WHERE (tx, seq) < ($1, $2) AND `+administrative+` AND `+sites.SQL("site_id")+j.settled()+` ORDER BY tx DESC, seq DESC LIMIT $3`,
		before.Tx, before.Seq, limit)
}

// Package journal keeps what happened, in order: a lead, an event, a change of settings. An entry is appended in the
// transaction that makes it happen. Whoever acts on it later — a live page, a webhook, a mail — reads the journal from
// its own position.
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

// Topic is the topic of new entries for [db.DB.Subscribe].
const Topic = "journal"

// Position is a place in the journal. The zero Position is its beginning.
//
// Entries are ordered by their transaction first. A transaction that took its numbers early may commit late, and a
// reader that went by numbers alone would miss it.
type Position struct {
	Tx, Seq int64
}

// String returns the text form, such as "712-34"; see [ParsePosition].
func (p Position) String() string {
	return strconv.FormatInt(p.Tx, 10) + "-" + strconv.FormatInt(p.Seq, 10)
}

// ParsePosition reads a text of [Position.String].
func ParsePosition(text string) (Position, error) {
	before, after, found := strings.Cut(text, "-")
	tx, errTx := strconv.ParseUint(before, 10, 63)
	seq, errSeq := strconv.ParseUint(after, 10, 63)
	if !found || errTx != nil || errSeq != nil {
		return Position{}, fmt.Errorf("%q is no position of the journal", text)
	}
	return Position{Tx: int64(tx), Seq: int64(seq)}, nil
}

// Behind says whether p comes after q.
func (p Position) Behind(q Position) bool {
	return p.Tx > q.Tx || p.Tx == q.Tx && p.Seq > q.Seq
}

// Entry is something that happened.
type Entry struct {
	Position
	// SiteID is the site where it happened, or 0 if it concerns all sites.
	SiteID int64
	// At is stored to the millisecond.
	At time.Time
	// Kind is a constant of the subject that appended the entry.
	Kind string
	// SubjectID is the id of the lead, event or account that the entry is about.
	SubjectID int64
	// VisitorID is the visitor of the entry, in public form, or 0 for none.
	VisitorID int64
	// Data is a JSON object with what a reader needs to show the entry. Nil is stored as the empty object.
	Data json.RawMessage
}

// AppendAll does what [Append] does for many entries, a hundred in a statement.
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
		if err := tx.Send(ctx, `INSERT INTO journal (site_id, at, kind, subject_id, visitor_id, data) `+values, args...); err != nil {
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

// Append adds the entry and wakes the journal's readers when the transaction is committed. It ignores the entry's
// Position.
func Append(ctx context.Context, tx db.Tx, e Entry) error {
	err := tx.Send(ctx, `INSERT INTO journal (site_id, at, kind, subject_id, visitor_id, data) VALUES ($1, $2, $3, $4, $5, $6)`,
		e.SiteID, e.At.UnixMilli(), e.Kind, e.SubjectID, e.VisitorID, dataOf(e))
	if err != nil {
		return fmt.Errorf("appending to the journal: %w", err)
	}
	tx.Wake(Topic)
	return nil
}

// Journal reads the entries. It is safe for concurrent use.
type Journal struct {
	db   *db.DB
	read func() db.Reader

	mu  sync.Mutex
	hub *hub // nil while there is no follower
}

// New returns the journal of the database.
func New(d *db.DB) *Journal { return &Journal{db: d, read: d.Read} }

// After returns at most limit entries behind the position, oldest first.
//
// On PostgreSQL, it returns an entry only when every transaction that could still commit an earlier one has ended. So
// no entry is ever added before a position that was read.
func (j *Journal) After(ctx context.Context, p Position, limit int) ([]Entry, error) {
	return j.list(ctx, columns+` WHERE `+j.place(">", "$1", "$2")+j.settled()+` ORDER BY tx, seq LIMIT $3`, p.Tx, p.Seq, limit)
}

// LatestLeads returns at most limit entries of leads that came at the sites, newest first: those behind one position and
// not behind the other.
func (j *Journal) LatestLeads(ctx context.Context, sites scope.Sites, after, upto Position, limit int) ([]Entry, error) {
	return j.list(ctx, j.latestLeads(sites), after.Tx, after.Seq, upto.Tx, upto.Seq, limit)
}

func (j *Journal) latestLeads(sites scope.Sites) string {
	by := ""
	if j.by(sites) != "" {
		by = ` INDEXED BY journal_leads_of_site`
	}
	// The planner finds the indices of leads only if the kind is written in the query.
	return columns + by + ` WHERE kind = 'lead.added' AND ` + j.place(">", "$1", "$2") + ` AND ` + j.place("<=", "$3", "$4") + ` AND ` + sites.SQL("site_id") + j.settled() + `
		ORDER BY tx DESC, seq DESC LIMIT $5`
}

// readTime bounds one read of the journal. After that, the read gives up a connection that hangs, and the next one uses
// another.
const readTime = 5 * time.Second

const columns = `SELECT tx, seq, site_id, at, kind, subject_id, visitor_id, data FROM journal`

// list reads entries with a query that begins with columns.
func (j *Journal) list(ctx context.Context, query string, args ...any) ([]Entry, error) {
	type row struct {
		Entry
		at   int64
		data string
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	rows, err := db.List(ctx, j.read(), func(r *row) []any {
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

// End returns the position of the last entry that [Journal.After] would return.
func (j *Journal) End(ctx context.Context) (Position, error) {
	p, _, err := db.One(ctx, j.db.Read(), func(p *Position) []any { return []any{&p.Tx, &p.Seq} },
		`SELECT tx, seq FROM journal WHERE seq > 0`+j.settled()+` ORDER BY tx DESC, seq DESC LIMIT 1`)
	if err != nil {
		return p, fmt.Errorf("reading the journal: %w", err)
	}
	return p, nil
}

// place is the condition that an entry's position compares so, as ">" does, to one whose two numbers are named. On SQLite
// all entries have the tx 0, and a pair with the table's own key in it would make SQLite read them all. Any other tx is
// behind them.
func (j *Journal) place(compares, tx, seq string) string {
	if j.db.Engine() == db.SQLite {
		return `tx = 0 AND seq ` + compares + ` CASE ` + tx + ` WHEN 0 THEN ` + seq + ` ELSE ` + strconv.Itoa(math.MaxInt64) + ` END`
	}
	return `(tx, seq) ` + compares + ` (` + tx + `, ` + seq + `)`
}

// by names the index by which SQLite finds entries of some sites. Else it takes one of all sites, whose order spares it to
// sort.
func (j *Journal) by(sites scope.Sites) string {
	if j.db.Engine() != db.SQLite || sites.All() || sites.None() {
		return ""
	}
	return ` INDEXED BY journal_of_site`
}

// settled restricts a query to transactions that no open transaction can precede. SQLite has one writer, whose
// transactions end in the order in which they began.
func (j *Journal) settled() string {
	if j.db.Engine() == db.Postgres {
		return ` AND tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
	}
	return ""
}

// administrative is the condition on entries about accounts and sites, as in the index.
const administrative = `(kind >= 'operator.' AND kind < 'operator/' OR kind >= 'site.' AND kind < 'site/')`

// Administration returns at most limit entries about changes of sites and accounts, newest first. Their kinds begin
// with "operator." or "site.". They come before the position; for the zero Position, they are the latest. All sites have
// few of them, and they are looked through: at a site there are many others.
func (j *Journal) Administration(ctx context.Context, sites scope.Sites, before Position, limit int) ([]Entry, error) {
	if before == (Position{}) {
		before = Position{math.MaxInt64, math.MaxInt64}
	}
	return j.list(ctx, j.administration(sites), before.Tx, before.Seq, limit)
}

func (j *Journal) administration(sites scope.Sites) string {
	return columns + ` WHERE ` + j.place("<", "$1", "$2") + ` AND ` + administrative + ` AND ` + sites.SQL("+site_id") + j.settled() + ` ORDER BY tx DESC, seq DESC LIMIT $3`
}

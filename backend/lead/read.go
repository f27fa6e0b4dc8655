package lead

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/tag"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// ErrUnknown is returned for a lead that is not there.
var ErrUnknown = errors.New("unknown lead")

// Key tells which lead it is.
type Key struct{ SiteID, ID int64 }

// Key names the lead.
func (l Lead) Key() Key { return Key{l.SiteID, l.ID} }

// Cursor is a position in the list of leads, newest first. The zero Cursor is its top.
type Cursor struct {
	At time.Time
	ID int64
}

// Bounds are what the time and the id of all that is behind the cursor are less than.
func (c Cursor) Bounds() (at, id int64) {
	if c == (Cursor{}) {
		return math.MaxInt64, math.MaxInt64
	}
	return c.At.UnixMilli(), c.ID
}

// Cursor returns the position behind the lead.
func (l Lead) Cursor() Cursor { return Cursor{At: l.At, ID: l.ID} }

// List returns all leads of the sites behind the cursor, newest first, limit at
// most: spam and parts of others among them.
func (l *Leads) List(ctx context.Context, sites scope.Sites, behind Cursor, limit int) ([]Lead, error) {
	at, id := behind.Bounds()
	return l.read(ctx, `(at, id) < ($1, $2) AND `+sites.SQL("site_id"), limit, at, id)
}

// OfVisitor returns outlines of the visitor's leads, newest first, limit at most. See [Leads.Outline].
func (l *Leads) OfVisitor(ctx context.Context, siteID int64, visitor visit.ID, limit int) ([]Lead, error) {
	return readOutline(ctx, l.db.Read(), fmt.Sprintf(`site_id = $1 AND visitor_id = $2 ORDER BY at DESC, id DESC LIMIT %d`, limit), siteID, int64(visitor))
}

// Outline returns what lists show of a lead, or ErrUnknown: the lead without its user fields, and with the first
// 1,000 characters of its message.
func (l *Leads) Outline(ctx context.Context, siteID, id int64) (Lead, error) {
	return one(readOutline(ctx, l.db.Read(), `site_id = $1 AND id = $2`, siteID, id))
}

// Get returns a lead, or ErrUnknown.
func (l *Leads) Get(ctx context.Context, siteID, id int64) (Lead, error) {
	return one(readFrom(ctx, l.db.Read(), `site_id = $1 AND id = $2`, siteID, id))
}

// namedAtOnce is how many leads one query reads by their names.
const namedAtOnce = 128

// Named returns the leads of the names whole, in their order. Those that are gone are missing. Each may have a megabyte: name
// few. from is [db.DB.Read] or [db.DB.Lagging].
func (l *Leads) Named(ctx context.Context, from db.Queries, names []Key) ([]Lead, error) {
	return named(ctx, from, readFrom, names)
}

// Outlines are the outlines of the leads of the names, see [Leads.Outline], in their order. Those that are gone are missing.
func (l *Leads) Outlines(ctx context.Context, names []Key) ([]Lead, error) {
	return named(ctx, l.db.Read(), readOutline, names)
}

func named(ctx context.Context, from db.Queries, read readLeads, names []Key) ([]Lead, error) {
	found := make(map[Key]Lead, len(names))
	for some := range slices.Chunk(names, namedAtOnce) {
		set, args := db.Among(db.Padded(some), (*Key).fields)
		leads, err := read(ctx, from, `(site_id, id) IN (`+set+`)`, args...)
		if err != nil {
			return nil, err
		}
		for _, lead := range leads {
			found[lead.Key()] = lead
		}
	}
	leads := make([]Lead, 0, len(names))
	for _, n := range names {
		if lead, is := found[n]; is {
			leads = append(leads, lead)
		}
	}
	return leads, nil
}

func one(found []Lead, err error) (Lead, error) {
	if err != nil {
		return Lead{}, err
	}
	if len(found) == 0 {
		return Lead{}, ErrUnknown
	}
	return found[0], nil
}

func (l *Leads) read(ctx context.Context, which string, limit int, args ...any) ([]Lead, error) {
	return readFrom(ctx, l.db.Read(), which+` ORDER BY at DESC, id DESC LIMIT `+strconv.Itoa(limit), args...)
}

func readFrom(ctx context.Context, from db.Queries, which string, args ...any) ([]Lead, error) {
	return readColumns(ctx, from, columns, which, args...)
}

// readLeads is readFrom, readBegun or readOutline.
type readLeads func(ctx context.Context, from db.Queries, which string, args ...any) ([]Lead, error)

// readBegun is readFrom without what is behind the searched beginning of texts: for transactions.
func readBegun(ctx context.Context, from db.Queries, which string, args ...any) ([]Lead, error) {
	return readColumns(ctx, from, begunColumns, which, args...)
}

// readOutline is readFrom for lists: without the user fields, and with the beginning of the message. Each may have a megabyte.
func readOutline(ctx context.Context, from db.Queries, which string, args ...any) ([]Lead, error) {
	return readColumns(ctx, from, outlineColumns, which, args...)
}

var outlineColumns = strings.NewReplacer(" message,", " substr(message, 1, 1000),", " user_fields,", " '{}',").Replace(columns)

func readColumns(ctx context.Context, from db.Queries, columns, which string, args ...any) ([]Lead, error) {
	rows, err := db.List(ctx, from, (*row).fields, `SELECT `+columns+` FROM leads WHERE `+which, args...)
	if err != nil {
		return nil, fmt.Errorf("reading leads: %w", err)
	}
	leads := make([]Lead, len(rows))
	for i, r := range rows {
		if err := r.complete(); err != nil {
			return nil, fmt.Errorf("reading leads: %w", err)
		}
		leads[i] = r.Lead
	}
	return leads, nil
}

// row is a row of the leads' table.
type row struct {
	Lead
	at         int64
	userFields string // as JSON
	also       string
	marks      string
	tags       string
}

// complete takes apart what was read.
func (r *row) complete() (err error) {
	r.At = time.UnixMilli(r.at)
	if r.also != "" {
		r.Also = strings.Fields(r.also)
	}
	if r.marks != "" {
		r.Marks = strings.Fields(r.marks)
	}
	r.Tags = tag.Split(r.tags)
	r.UserFields, err = search.FieldsIn(r.userFields)
	return err
}

// stored are the columns of the leads' table that are read and written.
const stored = `site_id, id, visitor_id, visit_id, view_id, at, origin, name, email, phone, phone_digits, phone_extension, message,
	is_sale, sale_cost, group_id, form_name, user_fields, url, site_error, state, owner_id, merged_into, ` + source.Columns

// columns are those of a lead with its lists, which are words with spaces between them.
var columns = stored + `, ` + alsoColumn + `, ` + marksColumn + `, ` + Tags.Column()

const (
	alsoColumn  = `(SELECT COALESCE(string_agg(o.origin, ' ' ORDER BY o.origin), '') FROM lead_origins o WHERE o.site_id = leads.site_id AND o.lead_id = leads.id)`
	marksColumn = `(SELECT COALESCE(string_agg(m.mark, ' ' ORDER BY m.mark), '') FROM lead_marks m WHERE m.site_id = leads.site_id AND m.lead_id = leads.id)`
)

var begunColumns = strings.NewReplacer(
	" message,", fmt.Sprintf(" substr(message, 1, %d),", search.MaxSearched),
	" user_fields,", fmt.Sprintf(" substr(user_fields, 1, %d),", search.BegunFields),
).Replace(columns)

func (r *row) fields() []any {
	return append([]any{
		&r.SiteID, &r.ID, &r.Visitor, &r.Visit, &r.View, &r.at, &r.Origin, &r.Name, &r.Email, &r.Phone, &r.PhoneDigits, &r.PhoneExtension, &r.Message,
		&r.IsSale, &r.SaleCost, &r.GroupID, &r.FormName, &r.userFields, &r.URL, &r.SiteError, &r.State, &r.Owner, &r.MergedInto,
	}, append(r.Source.Fields(), &r.also, &r.marks, &r.tags)...)
}

// ready is a lead with all that is made of its texts. It is made before the writer's transaction, in which no text is
// worked on.
type ready struct {
	Lead
	userFields string // as JSON
	hash       int64  // of the message, see [search.Hash]
	words      string // by which the lead is found when it stands alone, with blanks between them
}

func (l Lead) ready() (ready, error) {
	userFields, err := json.Marshal(l.UserFields)
	return ready{l, string(userFields), search.Hash(l.Message), wordsOf(l)}, err
}

// insert stores the lead.
func (r *ready) insert(ctx context.Context, tx db.Tx) error {
	if err := tx.Send(ctx, `INSERT INTO leads (message_hash, `+stored+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34)`,
		append([]any{
			r.hash, r.SiteID, r.ID, int64(r.Visitor), int64(r.Visit), int64(r.View), r.At.UnixMilli(), r.Origin, r.Name, r.Email, r.Phone, r.PhoneDigits, r.PhoneExtension, r.Message,
			r.IsSale, r.SaleCost, r.GroupID, r.FormName, r.userFields, r.URL, r.SiteError, int64(r.State), r.Owner, r.MergedInto,
		}, r.Source.Values()...)...); err != nil {
		return err
	}
	return r.keepLists(ctx, tx)
}

// keepLists stores the further ways by which the lead has come, and its marks. Most leads have neither.
func (l *Lead) keepLists(ctx context.Context, tx db.Tx) error {
	for _, origin := range l.Also {
		if err := tx.Send(ctx, `INSERT INTO lead_origins (site_id, lead_id, origin) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, l.SiteID, l.ID, origin); err != nil {
			return err
		}
	}
	for _, mark := range l.Marks {
		if err := tx.Send(ctx, `INSERT INTO lead_marks (site_id, lead_id, mark) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, l.SiteID, l.ID, mark); err != nil {
			return err
		}
	}
	return nil
}

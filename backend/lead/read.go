package lead

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// ErrUnknown is returned for a lead that is not there.
var ErrUnknown = errors.New("unknown lead")

// Cursor is a place in the list of leads, newest first. The zero Cursor is its
// top.
type Cursor struct {
	At time.Time
	ID int64
}

// Cursor is the place behind the lead.
func (l Lead) Cursor() Cursor { return Cursor{At: l.At, ID: l.ID} }

// List returns all leads of the sites behind the cursor, newest first, limit at
// most: spam and parts of others among them. See [Leads.Inbox].
func (l *Leads) List(ctx context.Context, sites scope.Sites, behind Cursor, limit int) ([]Lead, error) {
	at, id := int64(math.MaxInt64), int64(math.MaxInt64)
	if behind != (Cursor{}) {
		at, id = behind.At.UnixMilli(), behind.ID
	}
	return l.read(ctx, `(at, id) < ($1, $2) AND `+sites.SQL("site_id"), limit, at, id)
}

// OfVisitor returns the visitor's leads, newest first, limit at most.
func (l *Leads) OfVisitor(ctx context.Context, siteID int64, visitor visit.ID, limit int) ([]Lead, error) {
	return l.read(ctx, `site_id = $1 AND visitor_id = $2`, limit, siteID, int64(visitor))
}

// Get returns a lead, or ErrUnknown.
func (l *Leads) Get(ctx context.Context, siteID, id int64) (Lead, error) {
	found, err := l.read(ctx, `site_id = $1 AND id = $2`, 1, siteID, id)
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
	marks      string // with commas between them
}

// complete takes apart what was read.
func (r *row) complete() error {
	r.At = time.UnixMilli(r.at)
	if r.also != "" {
		r.Also = strings.Fields(r.also)
	}
	if r.marks != "" {
		r.Marks = strings.Split(r.marks, ",")
	}
	return json.Unmarshal([]byte(r.userFields), &r.UserFields)
}

const columns = `site_id, id, visitor_id, session_id, hit_id, at, origin, name, email, phone, phone_digits, phone_extension, message,
	is_sale, sale_cost, group_id, form_name, user_fields, url, also, marks, state, owner_id, merged_into, ` + visit.SourceColumns

func (r *row) fields() []any {
	return append([]any{
		&r.SiteID, &r.ID, &r.Visitor, &r.Session, &r.Hit, &r.at, &r.Origin, &r.Name, &r.Email, &r.Phone, &r.PhoneDigits, &r.PhoneExtension, &r.Message,
		&r.IsSale, &r.SaleCost, &r.GroupID, &r.FormName, &r.userFields, &r.URL, &r.also, &r.marks, &r.State, &r.Owner, &r.MergedInto,
	}, r.Source.Fields()...)
}

// insert stores the lead.
func (l *Lead) insert(ctx context.Context, tx db.Tx) error {
	userFields, err := json.Marshal(l.UserFields)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO leads (message_hash, `+columns+`, indexed)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, 1)`,
		append([]any{
			hashOf(l.Message), l.SiteID, l.ID, int64(l.Visitor), int64(l.Session), int64(l.Hit), l.At.UnixMilli(), l.Origin, l.Name, l.Email, l.Phone, l.PhoneDigits, l.PhoneExtension, l.Message,
			l.IsSale, l.SaleCost, l.GroupID, l.FormName, string(userFields), l.URL, strings.Join(l.Also, " "), strings.Join(l.Marks, ","), int64(l.State), l.Owner, l.MergedInto,
		}, l.Source.Values()...)...)
	return err
}

package lead

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

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

// List returns the leads behind the cursor, newest first, limit at most: those
// of one site, or with siteID 0 of all sites.
func (l *Leads) List(ctx context.Context, siteID int64, behind Cursor, limit int) ([]Lead, error) {
	return l.read(ctx, limit, func(q *bun.SelectQuery) *bun.SelectQuery {
		if siteID != 0 {
			q = q.Where("site_id = ?", siteID)
		}
		if behind != (Cursor{}) {
			q = q.Where("(at, id) < (?, ?)", behind.At.UnixMilli(), behind.ID)
		}
		return q
	})
}

// OfVisitor returns the visitor's leads, newest first, limit at most.
func (l *Leads) OfVisitor(ctx context.Context, siteID int64, visitor visit.ID, limit int) ([]Lead, error) {
	return l.read(ctx, limit, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("site_id = ?", siteID).Where("visitor_id = ?", visitor)
	})
}

// Get returns a lead, or ErrUnknown.
func (l *Leads) Get(ctx context.Context, siteID, id int64) (Lead, error) {
	found, err := l.read(ctx, 1, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("site_id = ?", siteID).Where("id = ?", id)
	})
	if err != nil {
		return Lead{}, err
	}
	if len(found) == 0 {
		return Lead{}, ErrUnknown
	}
	return found[0], nil
}

func (l *Leads) read(ctx context.Context, limit int, which func(*bun.SelectQuery) *bun.SelectQuery) ([]Lead, error) {
	var records []record
	query := which(l.db.Read().NewSelect().Model(&records)).Order("at DESC", "id DESC").Limit(int64(limit))
	if err := query.Scan(ctx); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("reading leads: %w", err)
	}
	leads := make([]Lead, len(records))
	for i, r := range records {
		var err error
		if leads[i], err = r.lead(); err != nil {
			return nil, fmt.Errorf("reading leads: %w", err)
		}
	}
	return leads, nil
}

// record is a row of the leads' table.
type record struct {
	bun.BaseModel `bun:"table:leads"`

	SiteID      int64
	ID          int64
	VisitorID   int64
	SessionID   int64
	HitID       int64
	At          int64
	Origin      string
	Name        string
	Email       string
	Phone       string
	PhoneDigits string
	Message     string
	IsSale      bool
	SaleCost    string
	GroupID     int64
	FormName    string
	UserFields  string
	URL         string
	Source      string
}

func recordOf(l Lead) (*record, error) {
	userFields, err := json.Marshal(l.UserFields)
	if err != nil {
		return nil, err
	}
	source, err := json.Marshal(l.Source)
	if err != nil {
		return nil, err
	}
	return &record{
		SiteID: l.SiteID, ID: l.ID, VisitorID: int64(l.Visitor), SessionID: int64(l.Session), HitID: int64(l.Hit),
		At: l.At.UnixMilli(), Origin: l.Origin, Name: l.Name, Email: l.Email, Phone: l.Phone, PhoneDigits: l.PhoneDigits,
		Message: l.Message, IsSale: l.IsSale, SaleCost: l.SaleCost, GroupID: l.GroupID, FormName: l.FormName,
		UserFields: string(userFields), URL: l.URL, Source: string(source),
	}, nil
}

func (r record) lead() (Lead, error) {
	l := Lead{
		ID: r.ID, SiteID: r.SiteID, Ref: visit.Ref{Visitor: visit.ID(r.VisitorID), Session: visit.ID(r.SessionID), Hit: visit.ID(r.HitID)},
		At: time.UnixMilli(r.At), Origin: r.Origin, Name: r.Name, Email: r.Email, Phone: r.Phone, PhoneDigits: r.PhoneDigits,
		Message: r.Message, IsSale: r.IsSale, SaleCost: r.SaleCost, GroupID: r.GroupID, FormName: r.FormName, URL: r.URL,
	}
	if err := json.Unmarshal([]byte(r.UserFields), &l.UserFields); err != nil {
		return Lead{}, err
	}
	if err := json.Unmarshal([]byte(r.Source), &l.Source); err != nil {
		return Lead{}, err
	}
	return l, nil
}

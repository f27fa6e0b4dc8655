package lead

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// What is kept of submissions that were refused. Those that find no room are counted, see [Leads.LostRefused].
const (
	// RefusedMemory is for how long each is kept.
	RefusedMemory = 30 * 24 * time.Hour
	// MaxRefused is how many bytes are kept of those of a site on a day (UTC).
	MaxRefused = 5 << 20
	// MaxRefusedOfNetwork is how many of these may come from one network.
	MaxRefusedOfNetwork = 1 << 20
	// refusedRow is how many bytes each takes besides its texts.
	refusedRow = 512
	// maxSent is the size in bytes of what is kept of one.
	maxSent = 16 << 10
)

// Refused is a submission that became no lead.
type Refused struct {
	SiteID int64
	ID     int64
	// Ref is the page view, if the sender had proved it; else zero.
	visit.Ref
	// At is when it came last, Times how often the very same came.
	At    time.Time
	Times int
	// Address is that of the site's server, or its network. Of a visitor it is
	// HiddenAddress and a hash, which tells visitors apart for a while and nothing else.
	Address string
	// Network tells the networks of clients apart for a day at least. It is not stored with the submission.
	Network string
	// Origin is Script, Server or Form.
	Origin string
	// Code and Reason are what the sender was told.
	Code, Reason string
	// Sent are the fields as they were sent, as a JSON object, without the secret ones.
	// Long texts are cut.
	Sent json.RawMessage
	// Region is that of the [submission.Submission], URL the page's address.
	Region, URL string
	// SiteError is that of the lead.
	SiteError int
	// Forward says how it goes to the service elsewhere that has the site's leads; nil where this one has them.
	Forward json.RawMessage
	// LeadID is the lead that somebody has made of it; 0 for none, and Elsewhere if it has gone there.
	LeadID int64
}

// Elsewhere is the [Refused.LeadID] of a submission that was sent to the service elsewhere.
const Elsewhere = -1

// HiddenAddress begins the address of a visitor.
const HiddenAddress = "visitor "

// FormSent are the fields of a form as [Refused] holds them.
func FormSent(form url.Values) json.RawMessage {
	object, err := json.Marshal(form)
	if err != nil { // texts do not fail
		return json.RawMessage("{}")
	}
	return object
}

// Cursor is the place behind the submission.
func (r Refused) Cursor() Cursor { return Cursor{At: r.At, ID: r.ID} }

// ErrUnknownRefused is returned for a refused submission that is not there (any more).
var ErrUnknownRefused = errors.New("unknown refused submission")

// ListRefused returns the refused submissions behind the cursor, newest first, limit
// at most: those of the sites.
func (l *Leads) ListRefused(ctx context.Context, sites scope.Sites, behind Cursor, limit int) ([]Refused, error) {
	at, id := behind.Bounds()
	return l.readRefused(ctx, `(at, id) < ($1, $2) AND `+sites.SQL("site_id"), limit, at, id)
}

// GetRefused returns the refused submission, or ErrUnknownRefused.
func (l *Leads) GetRefused(ctx context.Context, siteID, id int64) (Refused, error) {
	found, err := l.readRefused(ctx, `site_id = $1 AND id = $2`, 1, siteID, id)
	if err != nil {
		return Refused{}, err
	}
	if len(found) == 0 {
		return Refused{}, ErrUnknownRefused
	}
	return found[0], nil
}

// ListContacts is ListRefused of the submissions that say how to reach their sender, and of which nobody has made a lead.
// Of these limit are looked at. next is the place behind them, and zero at the end of the list.
func (l *Leads) ListContacts(ctx context.Context, sites scope.Sites, behind Cursor, limit int) (refused []Refused, next Cursor, err error) {
	at, id := behind.Bounds()
	refused, err = l.readRefused(ctx, `lead_id = 0 AND (at, id) < ($1, $2) AND `+sites.SQL("site_id"), limit, at, id)
	if len(refused) == limit {
		next = refused[limit-1].Cursor()
	}
	return slices.DeleteFunc(refused, func(r Refused) bool {
		s, err := submission.FromObject(r.Sent)
		return err != nil || s.Phone == "" && s.Email == ""
	}), next, err
}

// TakeOver makes a lead of a refused submission, with all that is usable of it; doing
// so again returns the same lead. A cost without a sale becomes a user field. The error
// is an [submission.Invalid] when nothing is usable, and ErrUnknownRefused when there is no such
// submission. Where the site's leads are elsewhere, it is sent there, and the lead has Elsewhere for its ID.
func (l *Leads) TakeOver(ctx context.Context, siteID, id int64) (Lead, error) {
	r, err := l.GetRefused(ctx, siteID, id)
	if err != nil {
		return Lead{}, err
	}
	if r.LeadID == Elsewhere {
		return Lead{ID: Elsewhere, SiteID: siteID}, nil
	}
	if r.LeadID != 0 {
		return l.made(ctx, Lead{ID: r.LeadID, SiteID: siteID, Ref: r.Ref})
	}
	s, err := submission.FromObject(r.Sent)
	if err != nil {
		return Lead{}, err
	}
	if s.SaleCost != "" && !s.IsSale {
		if s.UserFields == nil {
			s.UserFields = make(map[string]string)
		}
		s.UserFields[submission.Free(s.UserFields, "sale_cost")] = s.SaleCost
		s.SaleCost = ""
	}
	s.SiteID, s.Ref, s.Origin, s.Region, s.URL, s.SiteError = r.SiteID, r.Ref, r.Origin, r.Region, r.URL, r.SiteError
	s.CallID = "refused:" + strconv.FormatInt(r.ID, 10)
	lead := Lead{ID: Elsewhere, SiteID: siteID}
	if r.Forward != nil {
		if err = s.Check(); err == nil {
			err = l.elsewhere(ctx, r, s)
		}
	} else {
		lead, _, err = l.Add(ctx, s)
	}
	if err != nil {
		return Lead{}, err
	}
	err = l.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE refused_leads SET lead_id = $3 WHERE site_id = $1 AND id = $2`, siteID, id, lead.ID)
		return err
	})
	if err != nil {
		return Lead{}, fmt.Errorf("taking over a refused submission: %w", err)
	}
	return lead, nil
}

func (l *Leads) readRefused(ctx context.Context, which string, limit int, args ...any) ([]Refused, error) {
	type row struct {
		Refused
		at            int64
		sent, forward string
	}
	rows, err := db.List(ctx, l.db.Read(), func(r *row) []any {
		return []any{&r.SiteID, &r.ID, &r.at, &r.Times, &r.Address, &r.Origin, &r.Code, &r.Reason, &r.sent, &r.Region, &r.URL,
			&r.Visitor, &r.Session, &r.Hit, &r.LeadID, &r.SiteError, &r.forward}
	}, `SELECT site_id, id, at, times, address, origin, code, reason, sent, region, url, visitor_id, session_id, hit_id, lead_id, site_error, forward
		FROM refused_leads WHERE `+which+` ORDER BY at DESC, id DESC LIMIT `+strconv.Itoa(limit), args...)
	if err != nil {
		return nil, fmt.Errorf("reading refused submissions: %w", err)
	}
	refused := make([]Refused, len(rows))
	for i, r := range rows {
		r.At, r.Refused.Sent = time.UnixMilli(r.at), json.RawMessage(r.sent)
		if r.forward != "" {
			r.Refused.Forward = json.RawMessage(r.forward)
		}
		refused[i] = r.Refused
	}
	return refused, nil
}

// shortened are the fields as they are kept: an object of maxSent bytes at most, its
// longest texts cut first.
func shortened(sent json.RawMessage) json.RawMessage {
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(sent))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil || object == nil {
		object = map[string]any{"body": string(sent)}
	}
	for limit := maxSent; ; limit /= 2 {
		// A text in JSON takes up to six bytes for each of its own.
		if text, err := json.Marshal(clipped(object, limit)); err == nil && len(text) <= maxSent {
			return text
		}
		if limit == 0 {
			return json.RawMessage("{}") // names alone are too long
		}
	}
}

func clipped(value any, limit int) any {
	switch v := value.(type) {
	case string:
		return visit.Clip(v, limit)
	case []any:
		short := make([]any, len(v))
		for i := range v {
			short[i] = clipped(v[i], limit)
		}
		return short
	case map[string]any:
		short := make(map[string]any, len(v))
		for name, one := range v {
			if capture.IsSecret(name) {
				continue
			}
			short[visit.Clip(name, submission.MaxShort)] = clipped(one, limit)
		}
		return short
	}
	return value
}

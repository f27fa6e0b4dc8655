// Package refused keeps what was sent as a lead and became none, for the owner of the site to see why, and to make
// leads of it all the same. What everybody can send has bounds here: in memory while it waits, and in bytes of a site
// and of a network on a day.
package refused

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

	"github.com/seed-3405227d/frontdesk/backend/capture/naming"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// What is kept of submissions that were refused. Those that find no room are counted, see [Refusals.Lost].
const (
	// Memory is for how long each is kept.
	Memory = 30 * 24 * time.Hour
	// Max is how many bytes are kept of those of a site on a day (UTC).
	Max = 5 << 20
	// MaxOfNetwork is how many of these may come from one network.
	MaxOfNetwork = 1 << 20
	// perRow is how many bytes each takes besides its texts.
	perRow = 512
	// maxSent is the size in bytes of what is kept of one.
	maxSent = 16 << 10
)

// Refusal is a submission that became no lead.
type Refusal struct {
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
	// Origin is [lead.Script], [lead.Server] or [lead.Form].
	Origin string
	// Code and Reason are what the sender was told.
	Code, Reason string
	// Sent are the fields as they were sent, as a JSON object, without the secret ones. Long texts are cut.
	Sent json.RawMessage
	// Region is that of the [submission.Submission], URL the page's address.
	Region, URL string
	// SiteError is that of the lead.
	SiteError int
	// Forward says how it goes to the service elsewhere that has the site's leads; nil where this one has them.
	Forward json.RawMessage
	// LeadID is the lead that somebody has made of it; 0 for none, and Forwarded if it has gone there.
	LeadID int64
}

// Forwarded is the [Refusal.LeadID] of a submission that was sent to the service elsewhere.
const Forwarded = -1

// HiddenAddress begins the address of a visitor.
const HiddenAddress = "visitor "

// Refusals keeps the refused submissions of all sites. It is safe for concurrent use.
type Refusals struct {
	db      *db.DB
	leads   *lead.Leads
	forward func(ctx context.Context, r Refusal, s submission.Submission) error
	now     func() time.Time
	ids     *db.Sequence
	waiting waiting
}

// New returns the refused submissions of the database, in which the leads are that are made of them. forward sends
// one to the service that its Forward names: the submission is durable there or on its way when forward returns nil.
// It may be nil where none has been forwarded.
func New(d *db.DB, leads *lead.Leads, forward func(ctx context.Context, r Refusal, s submission.Submission) error, now func() time.Time) *Refusals {
	return &Refusals{db: d, leads: leads, forward: forward, now: now, ids: d.Sequence("refused_leads", 256)}
}

// Traces are the refused submissions of a person.
func Traces() trace.Subject {
	return trace.Subject{
		Find: func(ctx context.Context, from db.Queries, m trace.Mark) ([]trace.Mark, error) {
			if m.Kind != trace.Visitor {
				return nil, nil
			}
			ids, err := db.List(ctx, from, db.Only[int64], `SELECT id FROM refused_leads WHERE site_id = $1 AND visitor_id = $2`, m.SiteID, m.ID)
			if err != nil {
				return nil, fmt.Errorf("finding a person's refused submissions: %w", err)
			}
			marks := make([]trace.Mark, len(ids))
			for i, id := range ids {
				marks[i] = trace.Mark{Kind: trace.Refused, SiteID: m.SiteID, ID: id}
			}
			return marks, nil
		},
		Tables: []trace.Table{{Name: "refused_leads", By: trace.Refused, Where: `site_id = $1 AND id = $2`, Hidden: []string{"digest", "forward"}, JSON: []string{"sent"},
			Texts: []string{"sent", "reason", "url"}, Key: []string{"site_id", "id"}, Of: "id"}},
	}
}

// FormSent are the fields of a form as [Refusal] holds them.
func FormSent(form url.Values) json.RawMessage {
	object, err := json.Marshal(form)
	if err != nil { // texts do not fail
		return json.RawMessage("{}")
	}
	return object
}

// Cursor returns the position behind the submission.
func (r Refusal) Cursor() lead.Cursor { return lead.Cursor{At: r.At, ID: r.ID} }

// ErrUnknown is returned for a refused submission that is not there (any more).
var ErrUnknown = errors.New("unknown refused submission")

// List returns the refused submissions behind the cursor, newest first, limit at most: those of the sites.
func (f *Refusals) List(ctx context.Context, sites scope.Sites, behind lead.Cursor, limit int) ([]Refusal, error) {
	at, id := behind.Bounds()
	return f.read(ctx, `(at, id) < ($1, $2) AND `+sites.SQL("site_id"), limit, at, id)
}

// Get returns the refused submission, or ErrUnknown.
func (f *Refusals) Get(ctx context.Context, siteID, id int64) (Refusal, error) {
	found, err := f.read(ctx, `site_id = $1 AND id = $2`, 1, siteID, id)
	if err != nil {
		return Refusal{}, err
	}
	if len(found) == 0 {
		return Refusal{}, ErrUnknown
	}
	return found[0], nil
}

// Reachable is List of the submissions that say how to reach their sender, and of which nobody has made a lead.
// Of these limit are looked at. next is the place behind them, and zero at the end of the list.
func (f *Refusals) Reachable(ctx context.Context, sites scope.Sites, behind lead.Cursor, limit int) (list []Refusal, next lead.Cursor, err error) {
	at, id := behind.Bounds()
	list, err = f.read(ctx, `lead_id = 0 AND (at, id) < ($1, $2) AND `+sites.SQL("site_id"), limit, at, id)
	if len(list) == limit {
		next = list[limit-1].Cursor()
	}
	return slices.DeleteFunc(list, func(r Refusal) bool {
		s, err := submission.FromObject(r.Sent)
		return err != nil || s.Phone == "" && s.Email == ""
	}), next, err
}

// TakeOver makes a lead of a refused submission, with all that is usable of it; doing so again returns the same lead. A
// cost without a sale becomes a user field. The error is a [submission.Invalid] when nothing is usable, and ErrUnknown
// when there is no such submission. Where the site's leads are elsewhere, it is sent there, and the lead has Forwarded
// for its ID.
func (f *Refusals) TakeOver(ctx context.Context, siteID, id int64) (lead.Lead, error) {
	r, err := f.Get(ctx, siteID, id)
	if err != nil {
		return lead.Lead{}, err
	}
	if r.LeadID == Forwarded {
		return lead.Lead{ID: Forwarded, SiteID: siteID}, nil
	}
	if r.LeadID != 0 {
		return f.leads.Made(ctx, lead.Lead{ID: r.LeadID, SiteID: siteID, Ref: r.Ref})
	}
	s, err := submission.FromObject(r.Sent)
	if err != nil {
		return lead.Lead{}, err
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
	made := lead.Lead{ID: Forwarded, SiteID: siteID}
	if r.Forward != nil {
		if err = s.Check(); err == nil {
			err = f.forward(ctx, r, s)
		}
	} else {
		made, _, err = f.leads.Add(ctx, s)
	}
	if err != nil {
		return lead.Lead{}, err
	}
	err = f.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE refused_leads SET lead_id = $3 WHERE site_id = $1 AND id = $2`, siteID, id, made.ID)
		return err
	})
	if err != nil {
		return lead.Lead{}, fmt.Errorf("taking over a refused submission: %w", err)
	}
	return made, nil
}

func (f *Refusals) read(ctx context.Context, which string, limit int, args ...any) ([]Refusal, error) {
	type row struct {
		Refusal
		at            int64
		sent, forward string
	}
	rows, err := db.List(ctx, f.db.Read(), func(r *row) []any {
		return []any{&r.SiteID, &r.ID, &r.at, &r.Times, &r.Address, &r.Origin, &r.Code, &r.Reason, &r.sent, &r.Region, &r.URL,
			&r.Visitor, &r.Visit, &r.View, &r.LeadID, &r.SiteError, &r.forward}
	}, `SELECT site_id, id, at, times, address, origin, code, reason, sent, region, url, visitor_id, visit_id, view_id, lead_id, site_error, forward
		FROM refused_leads WHERE `+which+` ORDER BY at DESC, id DESC LIMIT `+strconv.Itoa(limit), args...)
	if err != nil {
		return nil, fmt.Errorf("reading refused submissions: %w", err)
	}
	list := make([]Refusal, len(rows))
	for i, r := range rows {
		r.At, r.Refusal.Sent = time.UnixMilli(r.at), json.RawMessage(r.sent)
		if r.forward != "" {
			r.Refusal.Forward = json.RawMessage(r.forward)
		}
		list[i] = r.Refusal
	}
	return list, nil
}

// shortened are the fields as they are kept: an object of maxSent bytes at most, its longest texts cut first.
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
		return clip.Text(v, limit)
	case []any:
		short := make([]any, len(v))
		for i := range v {
			short[i] = clipped(v[i], limit)
		}
		return short
	case map[string]any:
		short := make(map[string]any, len(v))
		for name, one := range v {
			if naming.IsSecret(name) {
				continue
			}
			short[clip.Text(name, submission.MaxShort)] = clipped(one, limit)
		}
		return short
	}
	return value
}

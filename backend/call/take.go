package call

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Calls stores the telephone calls of all sites and attributes them to visitors. It is safe for concurrent use, on any
// number of nodes.
type Calls struct {
	db     *db.DB
	visits *visit.Visits
	leases *lease.Leases
	leads  *lead.Leads
	ended  func(telephony.Status)
	now    func() time.Time
	ids    *db.Sequence
}

// Subjects are what calls need. A nil Queue does not make leads of missed calls. A nil Ended is not called for each call
// that turns out to have ended.
type Subjects struct {
	DB     *db.DB
	Visits *visit.Visits
	Leases *lease.Leases
	Leads  *lead.Leads
	Queue  *queue.Queue
	Ended  func(telephony.Status)
}

// New returns the calls of the database.
func New(s Subjects, now func() time.Time) *Calls {
	c := &Calls{db: s.DB, visits: s.Visits, leases: s.Leases, leads: s.Leads, ended: s.Ended, now: now, ids: s.DB.Sequence("number.calls", 256)}
	if s.Queue != nil {
		s.Queue.Handle(missedKind, queue.Handler{Do: c.missed})
	}
	return c
}

// News says what was new in an event of a call.
type News string

// The news.
const (
	Fresh    News = "new"      // the call was not known
	More     News = "more"     // the call was known, and this was not
	Repeated News = "repeated" // nothing was new
)

// Take adds the event to its call. It returns when the call is stored. Events of one call may come in any order, again,
// and to several nodes at once.
func (c *Calls) Take(ctx context.Context, e telephony.Event) (Call, News, error) {
	id, err := c.ids.Next(ctx)
	if err == nil {
		e.Platform, err = c.platformOf(ctx, e)
	}
	if err != nil {
		return Call{}, "", fmt.Errorf("taking a call: %w", err)
	}
	var call Call
	var news News
	ended := false
	err = c.db.WriteOwn(ctx, db.Hash(e.Platform+" "+e.Call), func(ctx context.Context, tx db.Tx) error {
		call, news = Call{}, Repeated
		before, err := stored(ctx, tx, e, id)
		if err != nil {
			return err
		}
		call = before.With(e, c.now())
		ended = before.Status == "" && call.Status != ""
		call.ID = id
		if before.ID != 0 {
			call.ID = before.ID
		}
		if before.Called != call.Called || before.Caller != call.Caller || !before.StartedAt.Equal(call.StartedAt) {
			if call.SiteID, call.Finding, err = c.attribute(ctx, tx, &call); err != nil {
				return err
			}
		}
		if call.same(before) {
			return nil
		}
		if news = More; before.ID == 0 {
			news = Fresh
		}
		if err := call.store(ctx, tx, before); err != nil {
			return err
		}
		if err := call.watch(ctx, tx, before); err != nil {
			return err
		}
		return call.tell(ctx, tx, e.Kind, call.ToldAt)
	})
	if err != nil {
		return Call{}, "", fmt.Errorf("taking a call: %w", err)
	}
	if ended && c.ended != nil {
		c.ended(call.Status)
	}
	return call, news, nil
}

// platformOf returns the platform of the event's call. Another one may report what becomes of a call that was redirected
// by SIP. It then names the call by its Call-ID.
func (c *Calls) platformOf(ctx context.Context, e telephony.Event) (string, error) {
	if e.Platform == telephony.SIP {
		return e.Platform, nil
	}
	_, redirected, err := db.One(ctx, c.db.Read(), db.Only[int64], `SELECT id FROM call_places WHERE platform = $1 AND call_id = $2`, telephony.SIP, e.Call)
	if redirected {
		return telephony.SIP, nil
	}
	return e.Platform, err
}

// tell tells the journal of the event of the call.
func (c *Call) tell(ctx context.Context, tx db.Tx, event telephony.Kind, at time.Time) error {
	data, err := json.Marshal(struct {
		Event    telephony.Kind `json:"event"`
		Platform string         `json:"platform"`
	}{event, c.Platform})
	if err != nil {
		return err
	}
	return journal.Append(ctx, tx, journal.Entry{SiteID: c.SiteID, At: at, Kind: Told, SubjectID: c.ID, VisitorID: int64(c.Visitor), Data: data})
}

// stored returns the stored call of the event. If there is none, it returns the zero Call, and reserves the id for the
// call. Other writers of the call wait until the transaction ends.
func stored(ctx context.Context, tx db.Tx, e telephony.Event, id int64) (Call, error) {
	type place struct{ site, id int64 }
	at, _, err := db.One(ctx, tx, func(p *place) []any { return []any{&p.site, &p.id} },
		`INSERT INTO call_places (platform, call_id, site_id, id) VALUES ($1, $2, 0, $3)
			ON CONFLICT (platform, call_id) DO UPDATE SET call_id = excluded.call_id RETURNING site_id, id`, e.Platform, e.Call, id)
	if err != nil || at.id == id {
		return Call{}, err
	}
	found, _, err := db.One(ctx, tx, (*record).fields, `SELECT `+columns+` FROM calls WHERE site_id = $1 AND id = $2`, at.site, at.id)
	if err != nil {
		return Call{}, err
	}
	before := found.call()
	before.ID = at.id // even if the call has been erased
	return before, nil
}

// store writes the call in the place of the call before.
func (c *Call) store(ctx context.Context, tx db.Tx, before Call) error {
	if before.SiteID != c.SiteID || before.Platform == "" {
		if before.Platform != "" {
			if _, err := tx.Exec(ctx, `DELETE FROM calls WHERE site_id = $1 AND id = $2`, before.SiteID, before.ID); err != nil {
				return err
			}
		}
		if c.SiteID != 0 {
			if _, err := tx.Exec(ctx, `UPDATE call_places SET site_id = $3 WHERE platform = $1 AND call_id = $2`, c.Platform, c.PlatformID, c.SiteID); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `INSERT INTO calls (`+written+`) VALUES (`+marks+`)`, c.values()...)
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE calls SET (`+written+`) = (`+marks+`) WHERE site_id = $1 AND id = $2`, c.values()...)
	return err
}

const (
	// ahead is how far a platform's clock may be ahead without a note.
	ahead = time.Minute
	// late is how old an event may be without a note. Platforms repeat events that they could not deliver for a day or
	// more, so an older time may be right.
	late = time.Hour
	// behind is how old an event may be at most.
	behind = 24 * time.Hour
)

// clocked returns the time of an event, within the bounds of the service's clock, since the platform's clock may be
// wrong. note is not empty if the time is doubtful.
func clocked(told, now time.Time) (at time.Time, note string) {
	untold := told.IsZero()
	told, now = moment(told), moment(now)
	switch passed := now.Sub(told); {
	case untold:
		return now, ""
	case passed < -ahead:
		return now, telephony.NoteAhead
	case passed < 0:
		return now, ""
	case passed > behind:
		return now, telephony.NoteBehind
	case passed > late:
		return told, telephony.NoteLate
	}
	return told, ""
}

// With returns the call after the event e, which was received at now. Events may come in any order, and again. An event
// that is known changes only ToldAt.
func (c Call) With(e telephony.Event, now time.Time) Call {
	if c.Platform == "" {
		c = Call{Platform: e.Platform, PlatformID: e.Call, Talk: telephony.Untold, Wait: telephony.Untold}
	}
	at, doubt := clocked(e.At, now)
	c.ToldAt = moment(now)
	c.begun(e, at)
	if c.Called == "" {
		c.Called = e.Called
	}
	if c.Caller == "" {
		c.Caller = e.Caller
	}
	switch e.Kind {
	case telephony.Answer:
		if c.AnsweredAt.IsZero() || at.Before(c.AnsweredAt) {
			c.AnsweredAt = at
		}
	case telephony.End:
		if at.Equal(c.ToldAt) && c.Status != "" { // by the service's clock, each repetition would be a later end
			at = c.EndedAt
		}
		if !at.Before(c.EndedAt) { // the latest end counts
			c.EndedAt, c.Status = at, e.Status
			c.Talk, c.Wait = firstTold(e.Talk, c.Talk), firstTold(e.Wait, c.Wait)
		}
	}
	c.Talk, c.Wait = firstTold(c.Talk, e.Talk), firstTold(c.Wait, e.Wait)
	if e.Recording != "" {
		c.Recording = e.Recording
	}
	if e.Price != "" || e.Currency != "" {
		c.Price, c.Currency = e.Price, e.Currency
	}
	notes := append(strings.Fields(c.Notes+" "+doubt), e.Notes...)
	slices.Sort(notes)
	c.Notes = strings.Join(slices.Compact(notes), " ")
	return c
}

// begun sets when the call began, by an event at the time at.
func (c *Call) begun(e telephony.Event, at time.Time) {
	isStart := e.Kind == telephony.Start
	switch {
	case isStart && !c.StartTold:
		c.StartedAt, c.StartTold = at, true
		return
	case isStart != c.StartTold:
		return // a reported start counts more than a concluded one
	}
	if !isStart {
		at = at.Add(-time.Duration(max(e.Wait, 0)) * time.Second)
		if e.Kind == telephony.End && e.Status == telephony.Answered {
			at = at.Add(-time.Duration(max(e.Talk, 0)) * time.Second)
		}
	}
	if c.StartedAt.IsZero() || at.Before(c.StartedAt) {
		c.StartedAt = at
	}
}

// firstTold returns the first of the two durations that was reported.
func firstTold(first, second int64) int64 {
	if first != telephony.Untold {
		return first
	}
	return second
}

// same says whether the two calls are equal but for ToldAt, First and LeadID.
func (c Call) same(other Call) bool {
	c.ToldAt, c.First, c.LeadID = other.ToldAt, other.First, other.LeadID
	return c == other
}

// moment returns the time as it is stored, to the millisecond.
func moment(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()) }

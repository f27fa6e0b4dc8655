package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// BecameALead is the event of a call that has become a lead, or a part of one.
const BecameALead telephony.Kind = "lead"

// Redial is how long further missed calls from a caller belong to the lead of the first one, while nobody is done with
// it.
const Redial = time.Hour

// missedKind is the kind of the jobs that make leads of calls that nobody has answered.
const missedKind = "call.missed"

// reference is the data of such a job.
type reference struct {
	Call int64 `json:"call"`
}

// watch adds a job that makes a lead of the call, if it has just turned out that nobody has answered it.
func (c *Call) watch(ctx context.Context, tx db.Tx, before Call) error {
	if !c.Lost() || c.SiteID == 0 || before.Lost() && before.SiteID == c.SiteID {
		return nil
	}
	payload, err := json.Marshal(reference{c.ID})
	if err != nil {
		return err
	}
	job := queue.Job{SiteID: c.SiteID, Kind: missedKind, VisitorID: int64(c.Visitor), Payload: payload}
	if c.Caller != "" {
		job.Lane = db.Hash(c.Caller) // so that calls from one caller find each other's lead
	}
	return queue.Add(ctx, tx, job)
}

// missed runs such a job. It may run twice: the lead is stored once.
func (c *Calls) missed(ctx context.Context, j queue.Job) error {
	var of reference
	if err := json.Unmarshal(j.Payload, &of); err != nil {
		return queue.Never(err)
	}
	call, err := c.Get(ctx, j.SiteID, of.Call)
	switch {
	case errors.Is(err, ErrUnknown): // it has been erased, or turned out to be for another site
		return nil
	case err != nil:
		return err
	case !call.Lost(): // its platform has corrected itself
		return nil
	}
	_, err = c.leadOf(ctx, call, lead.Missed)
	return err
}

// MakeLead makes a lead of the call, unless it is one, and returns the lead. The error is ErrUnknown if there is no such
// call, or if it is for no site.
func (c *Calls) MakeLead(ctx context.Context, siteID, id int64) (lead.Key, error) {
	call, err := c.Get(ctx, siteID, id)
	if err != nil {
		return lead.Key{}, err
	}
	if call.SiteID == 0 {
		return lead.Key{}, ErrUnknown
	}
	origin := lead.Call
	if call.Lost() {
		origin = lead.Missed
	}
	return c.leadOf(ctx, call, origin)
}

// leadOf returns the lead of the call. If it has none, it becomes a part of the caller's latest lead, or a lead itself.
func (c *Calls) leadOf(ctx context.Context, call Call, origin string) (lead.Key, error) {
	if call.LeadID != 0 {
		return lead.Key{SiteID: call.SiteID, ID: call.LeadID}, nil
	}
	of, again, err := c.openLead(ctx, call)
	if err == nil && !again {
		s := submission.Submission{
			SiteID: call.SiteID, Ref: visit.Ref{Visitor: call.Visitor, Visit: call.Visit}, Origin: origin, Call: call.ID, At: call.StartedAt, Source: call.SourceOrCampaign(),
		}
		if call.Caller != "" {
			s.Phone = "+" + call.Caller
		}
		var made lead.Lead
		made, _, err = c.leads.Add(ctx, s)
		of = made.Key()
	}
	if err == nil {
		err = c.link(ctx, call, of)
	}
	if err == nil && again {
		err = c.leads.NoteCall(ctx, of)
	}
	if err != nil {
		return lead.Key{}, fmt.Errorf("making a lead of a call: %w", err)
	}
	return of, nil
}

// openLead returns the lead of the caller's latest missed call within [Redial], while nobody is done with it.
func (c *Calls) openLead(ctx context.Context, call Call) (of lead.Key, found bool, err error) {
	if call.Caller == "" {
		return of, false, nil
	}
	id, found, err := db.One(ctx, c.db.Read(), db.Only[int64], `SELECT lead_id FROM calls
		WHERE site_id = $1 AND caller = $2 AND caller <> '' AND started_at BETWEEN $3 AND $4 AND lead_id <> 0 ORDER BY started_at DESC LIMIT 1`,
		call.SiteID, call.Caller, call.StartedAt.Add(-Redial).UnixMilli(), call.StartedAt.UnixMilli())
	if err != nil || !found {
		return of, false, err
	}
	known, err := c.leads.Outline(ctx, call.SiteID, id)
	if err == nil {
		known, err = c.leads.Root(ctx, known)
	}
	if errors.Is(err, lead.ErrUnknown) { // it has been erased
		return of, false, nil
	}
	return known.Key(), known.State == lead.Fresh || known.State == lead.InWork, err
}

// link notes which lead the call has become.
func (c *Calls) link(ctx context.Context, call Call, of lead.Key) error {
	return c.db.Write(ctx, db.Hash(call.Platform+" "+call.PlatformID), func(ctx context.Context, tx db.Tx) error {
		changed, err := tx.Exec(ctx, `UPDATE calls SET lead_id = $3 WHERE site_id = $1 AND id = $2 AND lead_id = 0`, call.SiteID, call.ID, of.ID)
		if err != nil || changed == 0 {
			return err
		}
		return call.tell(ctx, tx, BecameALead, c.now())
	})
}

package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// miss reports a call that nobody answers, and returns it when all jobs are done.
func (x *exchange) miss(id, called, caller string) call.Call {
	x.t.Helper()
	started := x.ring(id, called, caller)
	end := x.event(id, telephony.End)
	end.Status = telephony.Missed
	x.take(end)
	return x.worked(started)
}

// worked returns the call when all jobs are done.
func (x *exchange) worked(c call.Call) call.Call {
	x.t.Helper()
	ctx, stop := context.WithTimeout(x.t.Context(), time.Minute)
	defer stop()
	ended := make(chan struct{})
	go func() { defer close(ended); x.queue.Run(ctx) }()
	require.Eventually(x.t, func() bool {
		left, _, err := db.One(ctx, x.db.Read(), db.Only[int], `SELECT COUNT(*) FROM jobs`)
		return err == nil && left == 0
	}, time.Minute, 5*time.Millisecond)
	stop()
	<-ended
	found, err := x.calls.Get(x.t.Context(), c.SiteID, c.ID)
	require.NoError(x.t, err)
	return found
}

func (x *exchange) inbox() []lead.Lead {
	x.t.Helper()
	leads, err := x.leads.List(x.t.Context(), scope.All(), lead.Cursor{}, 100)
	require.NoError(x.t, err)
	return leads
}

// Of a caller whom nobody knows, the lead has the campaign whose number was called.
func TestLeadsOfCampaignsNumbers(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		x.declare(map[int64][]number.Declared{shopSite: {{Digits: printed, Tracking: []string{tracking}, Conditions: map[string]string{tracking: "utm_source=news*"}}}})
		x.miss("c1", tracking, ann)
		require.Equal(t, source.Source{Kind: source.Campaign, Source: "news"}, x.inbox()[0].Source)
	})
}

// The list is filtered by the source that it shows: the visitor's, or else the campaign's whose number was called.
func TestFilterFindsCampaignsOfNumbers(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		x.declare(map[int64][]number.Declared{shopSite: {{Digits: printed, Tracking: []string{tracking}, Conditions: map[string]string{tracking: "utm_source=google utm_medium=cpc"}}}})
		of := func(kind string) (ids []string) {
			t.Helper()
			list, err := x.calls.List(t.Context(), call.Filter{Sites: scope.Of(shopSite), Source: kind}, call.Cursor{}, 10)
			require.NoError(t, err)
			for _, c := range list {
				require.Equal(t, kind, c.SourceOrCampaign().Kind)
				ids = append(ids, c.PlatformID)
			}
			return ids
		}
		x.miss("c1", tracking, ann)
		require.Equal(t, []string{"c1"}, of(source.Ad))
		require.Empty(t, of(source.Campaign))

		const bob = "79127654321"
		x.visitor("news", bob)
		x.miss("c2", tracking, bob)
		require.Equal(t, []string{"c1"}, of(source.Ad), "the visitor's own source counts before that of the number")
		require.Equal(t, []string{"c2"}, of(source.Campaign))
	})
}

// A call that nobody has answered is a lead, with the visitor and the source of the call.
func TestMissedCallsAreLeads(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		known := x.visitor("news", ann)
		missed := x.miss("c1", tracking, ann)
		require.NotZero(t, missed.LeadID)
		inbox := x.inbox()
		require.Len(t, inbox, 1)
		require.Equal(t, missed.LeadID, inbox[0].ID)
		require.Equal(t, lead.Missed, inbox[0].Origin)
		require.Equal(t, ann, inbox[0].PhoneDigits)
		require.Equal(t, known.Visitor, inbox[0].Visitor)
		require.Equal(t, "news", inbox[0].Source.Source)
		require.Equal(t, missed.StartedAt, inbox[0].At)

		of, err := x.calls.OfLeads(t.Context(), shopSite, inbox[0].ID)
		require.NoError(t, err)
		require.Len(t, of, 1)

		// The platform repeats itself.
		end := x.event("c1", telephony.End)
		end.Status = telephony.Missed
		x.take(end)
		require.Len(t, x.inbox(), 1)

		// The caller tries again, and then once more when somebody is done with it.
		x.at = x.at.Add(10 * time.Minute)
		require.Equal(t, missed.LeadID, x.miss("c2", tracking, ann).LeadID)
		deeds, err := x.leads.Deeds(t.Context(), shopSite, []int64{missed.LeadID})
		require.NoError(t, err)
		require.Len(t, deeds, 1)
		require.Equal(t, "called", deeds[0].Kind)
		require.NoError(t, x.leads.SetState(t.Context(), lead.By{ID: 1, Login: "vera"}, inbox[0].Key(), lead.Done))
		x.at = x.at.Add(10 * time.Minute)
		require.NotEqual(t, missed.LeadID, x.miss("c3", tracking, ann).LeadID)

		// Nobody knows who has called, and two such callers are two.
		withheld := x.miss("c4", tracking, "")
		require.NotEqual(t, withheld.LeadID, x.miss("c5", tracking, "").LeadID)
		require.Len(t, x.inbox(), 4)
		require.Empty(t, x.inbox()[0].Phone)
	})
}

// A call that somebody has answered is no lead until an operator makes one of it, and one to a number of nobody never is.
func TestOtherCallsAreLeadsByHand(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		x.ring("c1", tracking, ann)
		x.at = x.at.Add(time.Minute)
		end := x.event("c1", telephony.End)
		end.Status = telephony.Answered
		answered, _ := x.take(end)
		require.Zero(t, x.worked(answered).LeadID)

		made, err := x.calls.MakeLead(t.Context(), shopSite, answered.ID)
		require.NoError(t, err)
		again, err := x.calls.MakeLead(t.Context(), shopSite, answered.ID)
		require.NoError(t, err)
		require.Equal(t, made, again)
		require.Equal(t, lead.Call, x.inbox()[0].Origin)

		x.ring("c2", "74950009999", ann)
		end = x.event("c2", telephony.End)
		end.Status = telephony.Missed
		strange, _ := x.take(end)
		require.Zero(t, strange.SiteID)
		_, err = x.calls.MakeLead(t.Context(), 0, strange.ID)
		require.ErrorIs(t, err, call.ErrUnknown)
		require.Len(t, x.inbox(), 1)
	})
}

// The caller's number is no contact of the visitor who had the number at the time: somebody else may have dialled it.
func TestCallersAreNoContacts(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		const pooled, stranger = "74950000001", "79990000001"
		pool := &number.Pool{Name: "spring", Digits: []string{pooled}}
		require.NoError(t, pool.Complete())
		x.declare(map[int64][]number.Declared{shopSite: {{Digits: printed, Tracking: []string{pooled}}}})
		known := x.visitor("news", ann)
		_, _, err := x.leases.Take(t.Context(), lease.Want{Site: shopSite, Visitor: known.Visitor, Visit: known.Visit, Replaces: printed, Pool: pool})
		require.NoError(t, err)
		require.Equal(t, known.Visitor, x.miss("c1", pooled, stranger).Visitor)
		require.Equal(t, known.Visitor, x.inbox()[0].Visitor)
		card, err := x.visits.Card(t.Context(), shopSite, known.Visitor)
		require.NoError(t, err)
		require.Len(t, card.Phones, 1)
		require.Equal(t, "+"+ann, card.Phones[0].Written)
	})
}

package call_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	shopSite = 7
	printed  = "74951234567"
	tracking = "74957654321"
	ann      = "79123456789"
)

// exchange is a telephone exchange in front of a database.
type exchange struct {
	t      *testing.T
	db     *db.DB
	visits *visittest.Rooms
	shown  *inventory.Inventory
	leases *lease.Leases
	leads  *lead.Leads
	queue  *queue.Queue
	calls  *call.Calls
	at     time.Time
	views  int
}

func (x *exchange) now() time.Time { return x.at }

func exchanges(t *testing.T, test func(*testing.T, *exchange)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		x := newExchange(t, d)
		x.declare(map[int64][]number.Declared{shopSite: {{Digits: printed, Tracking: []string{tracking}, Conditions: map[string]string{tracking: "utm_source=news*"}}}})
		test(t, x)
	})
}

func newExchange(t *testing.T, d *db.DB) *exchange {
	x := &exchange{t: t, db: d, at: time.UnixMilli(1_795_000_000_000)}
	x.visits = visittest.Open(t, d, x.now)
	x.shown = inventory.New(d, x.now)
	x.leases = lease.New(d, x.now, nil)
	x.leads, x.queue = lead.New(lead.Subjects{DB: d, Visits: x.visits.Visits, Texts: x.visits.Texts}, x.now), queue.New(d, zap.NewNop())
	x.calls = x.exchange()
	return x
}

// exchange returns the calls of a node on the same database.
func (x *exchange) exchange() *call.Calls {
	return call.New(call.Subjects{DB: x.db, Visits: x.visits.Visits, Leases: x.leases, Leads: x.leads, Queue: x.queue}, x.now)
}

func (x *exchange) declare(sites map[int64][]number.Declared) {
	x.t.Helper()
	require.NoError(x.t, x.db.Write(x.t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return x.shown.Declare(ctx, tx, "node", sites) }))
}

// visitor returns a visitor who has come from the source, and has left the phone if there is one.
func (x *exchange) visitor(source, phone string) visit.Ref {
	x.t.Helper()
	x.views++
	h, err := x.visits.Arrive(x.t.Context(), shopSite, 0, visit.Arrival{
		Nonce: fmt.Sprintf("view%018d", x.views), URL: "https://shop.example/?utm_source=" + source, Kind: "load",
		UserAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
	})
	require.NoError(x.t, err)
	if phone != "" {
		require.NoError(x.t, x.visits.AddInfo(x.t.Context(), shopSite, h.Ref, visit.Info{Phone: "+" + phone}))
	}
	return h.Ref
}

func (x *exchange) event(id string, kind telephony.Kind) telephony.Event {
	return telephony.Event{Platform: "webhook", Call: id, Kind: kind, At: x.at, Talk: telephony.Untold, Wait: telephony.Untold}
}

func (x *exchange) take(e telephony.Event) (call.Call, call.News) {
	x.t.Helper()
	call, news, err := x.calls.Take(x.t.Context(), e)
	require.NoError(x.t, err)
	return call, news
}

// A call that was redirected by SIP ends when another platform reports it under the same id.
func TestRedirectedCallEnds(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		start := x.event("call-id@trunk", telephony.Start)
		start.Platform, start.Called, start.Caller = telephony.SIP, tracking, ann
		begun, _ := x.take(start)
		require.Equal(t, call.Redirected, begun.State(x.at.Add(24*time.Hour)))
		x.at = x.at.Add(8 * time.Second)
		answered, news := x.take(x.event("call-id@trunk", telephony.Answer))
		require.Equal(t, call.More, news)
		require.Equal(t, begun.ID, answered.ID)
		require.Equal(t, call.Talking, answered.State(x.at))
		x.at = x.at.Add(time.Minute)
		end := x.event("call-id@trunk", telephony.End)
		end.Status = telephony.Answered
		ended, _ := x.take(end)
		require.Equal(t, begun.ID, ended.ID)
		require.Equal(t, call.State(telephony.Answered), ended.State(x.at))
		talked, known := ended.Talked()
		require.True(t, known)
		require.Equal(t, time.Minute, talked)

		other, news := x.take(end)
		require.Equal(t, call.Repeated, news)
		require.Equal(t, begun.ID, other.ID)
		end.Call = "another"
		alone, news := x.take(end)
		require.Equal(t, call.Fresh, news)
		require.Equal(t, "webhook", alone.Platform)
	})
}

// ring reports the start of a call.
func (x *exchange) ring(id, called, caller string) call.Call {
	x.t.Helper()
	e := x.event(id, telephony.Start)
	e.Called, e.Caller = called, caller
	call, _ := x.take(e)
	return call
}

func (x *exchange) list(sites scope.Sites, unattributed bool) []call.Call {
	x.t.Helper()
	list, err := x.calls.List(x.t.Context(), call.Filter{Sites: sites, Unattributed: unattributed}, call.Cursor{}, 100)
	require.NoError(x.t, err)
	return list
}

// Repeated, early and late events are one call. Each event with news has one entry in the journal.
func TestOneCallOfManyEvents(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		end := x.event("c1", telephony.End)
		end.At, end.Status, end.Talk = x.at.Add(50*time.Second), telephony.Answered, 40
		x.at = x.at.Add(time.Minute)
		early, news := x.take(end)
		require.Equal(t, call.Fresh, news)
		require.Zero(t, early.SiteID, "the end does not tell which number was called")
		require.Empty(t, x.list(scope.Of(shopSite), true))
		require.Len(t, x.list(scope.All(), true), 1)
		require.Empty(t, x.list(scope.All(), false))

		start := x.event("c1", telephony.Start)
		start.At, start.Called, start.Caller = x.at.Add(-time.Minute), tracking, ann
		later, news := x.take(start)
		require.Equal(t, call.More, news)
		require.Equal(t, early.ID, later.ID)
		require.EqualValues(t, shopSite, later.SiteID)
		for _, e := range []telephony.Event{start, end, start} {
			_, news = x.take(e)
			require.Equal(t, call.Repeated, news)
		}
		other := start
		other.Call = "c2"
		x.take(other)
		other.Platform = "twilio"
		x.take(other)

		all := x.list(scope.All(), true)
		require.Len(t, all, 3)
		require.Len(t, x.list(scope.Of(shopSite), false), 3)
		stored, err := x.calls.Get(t.Context(), shopSite, early.ID)
		require.NoError(t, err)
		stored.First = later.First
		require.Equal(t, later, stored)
		_, err = x.calls.Get(t.Context(), 0, early.ID)
		require.ErrorIs(t, err, call.ErrUnknown)

		var told []string
		for _, e := range journaltest.Entries(t, x.db) {
			if e.Kind == call.Told {
				told = append(told, fmt.Sprint(e.SiteID, " ", e.SubjectID == early.ID, " ", string(e.Data)))
			}
		}
		require.Equal(t, []string{
			`0 true {"event":"end","platform":"webhook"}`, `7 true {"event":"start","platform":"webhook"}`,
			`7 false {"event":"start","platform":"webhook"}`, `7 false {"event":"start","platform":"twilio"}`,
		}, told)
	})
}

// Two nodes receive events of one call at the same time.
func TestOneCallOfManyNodes(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		other := x.exchange()
		var hearing sync.WaitGroup
		for i := range 60 {
			e := x.event(fmt.Sprint("c", i%5), telephony.Start)
			e.Called, e.Caller = tracking, ann
			if i%2 == 1 {
				e.Kind, e.Status, e.At = telephony.End, telephony.Missed, x.at
			}
			on := x.calls
			if i%3 == 0 {
				on = other
			}
			hearing.Go(func() {
				_, _, err := on.Take(t.Context(), e)
				require.NoError(t, err)
			})
		}
		hearing.Wait()
		list := x.list(scope.All(), true)
		require.Len(t, list, 5)
		for _, c := range list {
			require.Equal(t, telephony.Missed, c.Status)
			require.True(t, c.StartTold)
		}
	})
}

func TestCallsAreAttributed(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		nobody := x.ring("nobody", "74990000000", ann)
		require.Zero(t, nobody.SiteID)
		require.Equal(t, call.Nothing, nobody.Reason)
		require.Equal(t, call.Printed, x.ring("printed", printed, "").Reason)

		static := x.ring("static", tracking, ann)
		require.Equal(t, call.Campaign, static.Reason)
		require.Equal(t, printed, static.Replaces)
		require.Equal(t, "utm_source=news*", static.Conditions)
		require.EqualValues(t, shopSite, static.SiteID)
		require.Zero(t, static.Visitor)

		x.visitor("other", "79990000000")
		ref := x.visitor("news", ann)
		known := x.ring("known", tracking, ann)
		require.Equal(t, call.KnownCaller, known.Reason)
		require.Equal(t, ref.Visitor, known.Visitor)
		require.Equal(t, ref.Visit, known.Visit)
		require.Equal(t, "news", known.Source.Source)
		mine, err := x.calls.OfVisitor(t.Context(), shopSite, ref.Visitor, 10)
		require.NoError(t, err)
		require.Len(t, mine, 1)
		require.Equal(t, known.ID, mine[0].ID)
		require.Equal(t, known.Finding, mine[0].Finding)

		// A retired number still shows what it stood for.
		x.declare(nil)
		require.Equal(t, call.Campaign, x.ring("retired", tracking, "").Reason)
		// A number that another site has taken over belongs to that site.
		x.at = x.at.Add(time.Second)
		x.declare(map[int64][]number.Declared{8: {{Digits: "74950000000", Tracking: []string{tracking}}}})
		require.EqualValues(t, 8, x.ring("moved", tracking, "").SiteID)
	})
}

func TestFirstCalls(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		for i, call := range []struct{ called, caller string }{{tracking, ann}, {tracking, ann}, {tracking, ""}, {tracking, ""}, {printed, "79990000000"}} {
			x.ring(fmt.Sprint("c", i), call.called, call.caller)
			x.at = x.at.Add(time.Second)
		}
		var first []string
		for _, c := range x.list(scope.Of(shopSite), false) {
			first = append(first, fmt.Sprint(c.PlatformID, c.First))
		}
		require.Equal(t, []string{"c4true", "c3false", "c2false", "c1false", "c0true"}, first)
	})
}

func TestListOfCalls(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		for i := range 25 {
			called := tracking
			if i%4 == 0 {
				called = "74990000000"
			}
			x.ring(fmt.Sprint("c", i), called, "")
			if i%3 == 0 {
				x.at = x.at.Add(time.Millisecond)
			}
		}
		for _, c := range []struct {
			sites        scope.Sites
			unattributed bool
			n            int
		}{{scope.All(), true, 25}, {scope.All(), false, 18}, {scope.Of(shopSite), true, 18}, {scope.Of(8), true, 0}, {scope.Sites{}, true, 0}} {
			var paged []call.Call
			var behind call.Cursor
			for {
				part, err := x.calls.List(t.Context(), call.Filter{Sites: c.sites, Unattributed: c.unattributed}, behind, 4)
				require.NoError(t, err)
				if len(part) == 0 {
					break
				}
				paged = append(paged, part...)
				behind = part[len(part)-1].Cursor()
			}
			require.Len(t, paged, c.n)
			require.ElementsMatch(t, x.list(c.sites, c.unattributed), paged)
		}
	})
}

func TestDestination(t *testing.T) {
	exchanges(t, func(t *testing.T, x *exchange) {
		for digits, expected := range map[string]string{tracking: printed, printed: "", "74990000000": ""} {
			destination, err := x.calls.Destination(t.Context(), digits)
			require.NoError(t, err)
			require.Equal(t, expected, destination, digits)
		}
	})
}

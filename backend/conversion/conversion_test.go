package conversion_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// world is a shop whose conversions go on to platforms.
type world struct {
	*conversion.Conversions
	t      testing.TB
	db     *db.DB
	queue  *queue.Queue
	visits *visittest.Rooms
	shop   int64
	views  atomic.Int64
	ahead  atomic.Int64
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func newWorld(t testing.TB, d *db.DB) *world {
	t.Helper()
	w := &world{t: t, db: d, queue: queue.New(d, zap.NewNop())}
	w.visits = visittest.Open(t, d, w.now)
	leases := lease.New(d, w.now, nil)
	s := conversion.Subjects{
		DB: d, Sites: site.New(d, w.now, zap.NewNop()), Visits: w.visits.Visits, Clients: client.New(d, w.visits.Keys, zap.NewNop()),
		Leads: lead.New(lead.Subjects{DB: d, Visits: w.visits.Visits, Texts: w.visits.Texts}, w.now),
	}
	s.Calls = call.New(call.Subjects{DB: d, Visits: w.visits.Visits, Leases: leases, Leads: s.Leads, Queue: w.queue}, w.now)
	s.Chats = chat.New(chat.Subjects{DB: d, Visits: w.visits.Visits, Texts: w.visits.Texts, Cards: w.visits.Cards}, w.now)
	s.Deliveries = notify.New(notify.Subjects{DB: d, Journal: journal.New(d), Queue: w.queue, Sites: s.Sites, Leads: s.Leads, Calls: s.Calls},
		func() notify.Settings {
			return notify.Settings{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
		}, nil, w.now, zap.NewNop())
	w.Conversions = conversion.New(s, w.now, zap.NewNop())
	shop, err := s.Sites.Provision(t.Context(), "shop.example")
	require.NoError(t, err)
	w.shop = shop.ID
	s.Clients.Want([]int64{w.shop})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, run := range []func(context.Context){s.Deliveries.Run, w.queue.Run, s.Clients.Run} {
		running.Go(func() { run(ctx) })
	}
	t.Cleanup(func() { cancel(); running.Wait() })
	return w
}

// each runs the test in a world of each database.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(t, newWorld(t, d)) })
}

const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

// view is a page view of a new visitor at the address behind the shop's.
func (w *world) view(address string) visit.View {
	w.t.Helper()
	h, err := w.visits.Arrive(w.t.Context(), w.shop, 0, visit.Arrival{Nonce: fmt.Sprintf("view%018d", w.views.Add(1)), Kind: "load", URL: "https://shop.example/" + address, UserAgent: chrome})
	require.NoError(w.t, err)
	return h
}

// cookies are those by which the platforms know the visitor n.
func cookies(n int) string {
	return fmt.Sprintf("_ga=GA1.1.%d.1700000000; _ga_ABC1DEF2GH=GS2.1.s1700000500$o5$g1$t1700000600; _ym_uid=170000000012345678%d; _fbp=fb.1.1596403881668.%d; _pk_id.1.1fff=0123456789abcde%d.1700000000.", n, n, n, n)
}

// known is a page view of a new visitor whom the platforms know as n.
func (w *world) known(address string, n int) visit.View {
	w.t.Helper()
	h := w.view(address)
	w.Clients.See(w.shop, h.Visitor, http.Header{"Cookie": {cookies(n)}})
	require.Eventually(w.t, func() bool {
		ids, err := w.Clients.Get(w.t.Context(), w.shop, h.Visitor)
		return err == nil && ids.GA != ""
	}, time.Minute, 10*time.Millisecond)
	return h
}

// lead is one of the view.
func (w *world) lead(h visit.View, change ...func(*submission.Submission)) lead.Lead {
	w.t.Helper()
	s := submission.Submission{SiteID: w.shop, Ref: h.Ref, Origin: lead.Script, Name: "Ada", Phone: "+7 (912) 345-67-89", Email: "Ada@Example.com ", Message: "Is the lamp in stock?", URL: "https://shop.example/order"}
	for _, c := range change {
		c(&s)
	}
	l, _, err := w.Leads.Add(w.t.Context(), s)
	require.NoError(w.t, err)
	return l
}

// call is an answered call of the visitor of the view.
func (w *world) call(id string, h visit.View) {
	w.t.Helper()
	require.NoError(w.t, w.db.Write(w.t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO declared_numbers (site_id, digits, replaces, first_at, retired_at) VALUES ($1, '74957654321', '74951234567', 1, 0)
			ON CONFLICT DO NOTHING`, w.shop); err != nil {
			return err
		}
		return nil
	}))
	at := w.now()
	for _, e := range []telephony.Event{
		{Kind: telephony.Start, At: at, Called: "74957654321", Caller: "79123456789", Talk: telephony.Untold, Wait: telephony.Untold},
		{Kind: telephony.Answer, At: at.Add(5 * time.Second), Talk: telephony.Untold, Wait: telephony.Untold},
		{Kind: telephony.End, At: at.Add(50 * time.Second), Status: telephony.Answered, Talk: 45, Wait: 5},
	} {
		e.Platform, e.Call = "webhook", id
		_, _, err := w.Calls.Take(w.t.Context(), e)
		require.NoError(w.t, err)
	}
}

// names are what every goal is called.
var names = map[platform.Goal]string{platform.Lead: "generate_lead", platform.Sale: "purchase", platform.Call: "phone_call", platform.Answered: "phone_call_answered", platform.Chat: "chat_started"}

// destination is added to the shop.
func (w *world) destination(kind notify.Kind, d platform.Destination) notify.Endpoint {
	w.t.Helper()
	if d.Names == nil {
		d.Names = names
	}
	e, err := conversion.Endpoint(kind, d)
	require.NoError(w.t, err)
	e.SiteID = w.shop
	e, _, err = w.Deliveries.Endpoints.Add(w.t.Context(), e, "vera")
	require.NoError(w.t, err)
	require.Eventually(w.t, func() bool { // what happens from now on is sent
		begun, _, err := db.One(w.t.Context(), w.db.Read(), db.Only[bool], `SELECT begun FROM endpoints WHERE site_id = $1 AND id = $2`, w.shop, e.ID)
		return err == nil && begun
	}, time.Minute, 10*time.Millisecond)
	return e
}

// told waits until the deliveries of the event stand so, and returns the latest of them.
func (w *world) told(event notify.Event, n int, state notify.State) notify.Delivery {
	w.t.Helper()
	var all []notify.Delivery
	require.EventuallyWithT(w.t, func(t *assert.CollectT) {
		log, err := w.Deliveries.Log(w.t.Context(), w.shop, 0, "", notify.Cursor{}, 1000)
		require.NoError(t, err)
		all = nil
		for _, one := range log {
			if one.Event == event {
				all = append(all, one)
			}
		}
		require.Len(t, all, n)
		require.Equal(t, state, all[0].State, "%s %s %d", all[0].Reason, all[0].Detail, all[0].Status)
	}, time.Minute, 10*time.Millisecond)
	return all[0]
}

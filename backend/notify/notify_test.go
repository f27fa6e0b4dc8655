package notify_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// world is a shop whose news is delivered.
type world struct {
	*notify.Deliveries
	t        testing.TB
	db       *db.DB
	visits   *visittest.Rooms
	leases   *lease.Leases
	settings atomic.Pointer[notify.Settings]
	results  counts
	shop     int64
	views    atomic.Int64
	ahead    atomic.Int64
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// counts counts what came of attempts.
type counts struct{ delivered, retried, failed, held, dropped atomic.Int64 }

func (c *counts) Delivery(result string) {
	map[string]*atomic.Int64{"delivered": &c.delivered, "retried": &c.retried, "failed": &c.failed, "held": &c.held, "dropped": &c.dropped}[result].Add(1)
}

// loopback are the addresses of the tests' receivers.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

func newWorld(t testing.TB, d *db.DB) *world {
	t.Helper()
	w := &world{t: t, db: d}
	w.settings.Store(&notify.Settings{Allowed: loopback, Console: "https://desk.example/"})
	var err error
	w.visits = visittest.Open(t, d, w.now)
	w.leases = lease.New(d, w.now, nil)
	subjects := notify.Subjects{
		DB: d, Journal: journal.New(d), Queue: queue.New(d, zap.NewNop()), Sites: site.New(d, w.now, zap.NewNop()),
		Leads: lead.New(lead.Subjects{DB: d, Visits: w.visits.Visits, Texts: w.visits.Texts}, w.now),
	}
	subjects.Calls = call.New(call.Subjects{DB: d, Visits: w.visits.Visits, Leases: w.leases, Leads: subjects.Leads, Queue: subjects.Queue}, w.now)
	w.Deliveries = notify.New(subjects, func() notify.Settings { return *w.settings.Load() }, &w.results, w.now, zap.NewNop())
	shop, err := w.Sites.Provision(t.Context(), "shop.example")
	require.NoError(t, err)
	w.shop = shop.ID
	return w
}

// run delivers until the test ends, or until it is stopped.
func (w *world) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{}, 2)
	go func() { w.Run(ctx); ended <- struct{}{} }()
	go func() { w.Queue.Run(ctx); ended <- struct{}{} }()
	var once atomic.Bool
	stop = func() {
		if !once.CompareAndSwap(false, true) {
			return
		}
		cancel()
		for range 2 {
			select {
			case <-ended:
			case <-time.After(time.Minute):
				assert.Fail(w.t, "it does not end")
			}
		}
	}
	w.t.Cleanup(stop)
	return stop
}

// each runs the test in a world of each database.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(t, newWorld(t, d)) })
}

// hit is a view of the shop by a new visitor, whom an advertisement has brought.
func (w *world) hit() visit.View {
	return w.viewOf("https://shop.example/order?utm_source=news&utm_campaign=autumn")
}

// hitOf is a view of the address by a new visitor.
func (w *world) viewOf(address string) visit.View {
	w.t.Helper()
	h, err := w.visits.Arrive(w.t.Context(), w.shop, 0, visit.Arrival{Nonce: fmt.Sprintf("view%018d", w.views.Add(1)), Kind: "load",
		URL: address, UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"})
	require.NoError(w.t, err)
	return h
}

// lead is a request of a new visitor.
func (w *world) lead(change ...func(*submission.Submission)) lead.Lead {
	w.t.Helper()
	s := submission.Submission{SiteID: w.shop, Ref: w.hit().Ref, Origin: lead.Script, Name: "Ada", Phone: "+7 (912) 345-67-89", Email: "ada@example.com",
		Message: "Is the lamp in stock?", FormName: "Order", UserFields: map[string]string{"city": "London"}, URL: "https://shop.example/order"}
	for _, c := range change {
		c(&s)
	}
	l, _, err := w.Leads.Add(w.t.Context(), s)
	require.NoError(w.t, err)
	return l
}

// endpoint is added to the shop.
func (w *world) endpoint(e notify.Endpoint) (notify.Endpoint, string) {
	w.t.Helper()
	if e.Kind == "" {
		e.Kind = notify.Webhook
	}
	if e.Events == nil {
		e.Events = notify.Events
	}
	if e.Language == "" {
		e.Language = "en"
	}
	e.SiteID = w.shop
	made, secret, err := w.Endpoints.Add(w.t.Context(), e, "vera")
	require.NoError(w.t, err)
	return made, secret
}

// log is the log of the shop, the earliest first.
func (w *world) log() []notify.Delivery {
	w.t.Helper()
	list, err := w.Log(w.t.Context(), w.shop, 0, "", notify.Cursor{}, 1000)
	require.NoError(w.t, err)
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// until waits until the only delivery is so.
func (w *world) until(is func(notify.Delivery) bool) notify.Delivery {
	w.t.Helper()
	var last []notify.Delivery
	require.Eventually(w.t, func() bool {
		last = w.log()
		return len(last) == 1 && is(last[0])
	}, time.Minute, 20*time.Millisecond, "the log says something else")
	return last[0]
}

func state(s notify.State) func(notify.Delivery) bool {
	return func(d notify.Delivery) bool { return d.State == s }
}

// kinds are those of the journal's entries at the shop.
func (w *world) kinds() (kinds []string) {
	w.t.Helper()
	for _, e := range journaltest.Entries(w.t, w.db) {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

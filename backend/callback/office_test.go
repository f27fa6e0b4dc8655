package callback_test

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const shop = 7

// pbx is a platform that notes what it is asked for.
type pbx struct {
	mu        sync.Mutex
	placed    []telephony.Order
	cancelled []string
	fails     error
	hangs     bool
	given     time.Duration // for the last order
}

func (p *pbx) Name() string { return "webhook" }

func (p *pbx) Place(ctx context.Context, o telephony.Order) error {
	p.mu.Lock()
	hangs, fails := p.hangs, p.fails
	p.placed = append(p.placed, o)
	if end, bounded := ctx.Deadline(); bounded {
		p.given = time.Until(end)
	}
	p.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return fails
}

func (p *pbx) Cancel(_ context.Context, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancelled = append(p.cancelled, id)
	return nil
}

func (p *pbx) set(change func(*pbx)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

func (p *pbx) orders() []telephony.Order {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]telephony.Order{}, p.placed...)
}

// office is where callbacks are made, with a clock that can be moved.
type office struct {
	*callback.Callbacks
	t        *testing.T
	db       *db.DB
	visits   *visittest.Rooms
	captchas *captcha.Captchas
	groups   *group.Groups
	queue    *queue.Queue
	pbx      *pbx
	diallers []telephony.Dialler
	clock    atomic.Int64
	visitor  visit.Ref
	asked    atomic.Int64
}

func (o *office) now() time.Time { return time.Now().Add(time.Duration(o.clock.Load())) }

func (o *office) pass(d time.Duration) { o.clock.Add(int64(d)) }

func open(t *testing.T, d *db.DB) *office {
	o := &office{t: t, db: d, pbx: new(pbx)}
	o.diallers = []telephony.Dialler{o.pbx}
	var err error
	o.visits = visittest.Open(t, d, o.now)
	o.captchas, err = captcha.Open(t.Context(), d, o.now)
	require.NoError(t, err)
	o.groups, o.queue = group.New(d, o.now), queue.New(d, zap.NewNop())
	o.Callbacks, err = callback.Open(t.Context(), callback.Subjects{
		DB: d, Queue: o.queue, Visits: o.visits.Visits, Captchas: o.captchas, Groups: o.groups,
		Diallers: func() []telephony.Dialler { return o.diallers },
		Key:      func(context.Context, int64) (string, error) { return "shop", nil },
	}, o.now, zap.NewNop())
	require.NoError(t, err)
	o.visitor = o.visit()
	return o
}

func each(t *testing.T, test func(*testing.T, *office)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(t, open(t, d)) })
}

// visit makes a visitor.
func (o *office) visit() visit.Ref {
	nonce := "n" + strconv.FormatInt(time.Now().UnixNano(), 10) + "aaaaaaaaaaaaaaaaaaaa"
	view, err := o.visits.Arrive(o.t.Context(), shop, 0, visit.Arrival{Nonce: nonce, URL: "https://shop.example/", Kind: "load", UserAgent: "Mozilla/5.0 Chrome/140"})
	require.NoError(o.t, err)
	return view.Ref
}

// everySite is what the keeper of groups sees.
var everySite = scope.All()

var site = callback.Settings{Phone: "74951234567"}

// number is another visitor's number each time.
func number(n int) string { return "7912345" + strconv.Itoa(1000+n) }

// ask orders a callback, of another call of the page each time.
func (o *office) ask(phone string, s callback.Settings, change ...func(*callback.Asked)) callback.Result {
	o.t.Helper()
	a := callback.Asked{Request: request.Request{Phone: phone}, SiteID: shop, Ref: o.visitor, URL: "https://shop.example/", ID: "call" + strconv.FormatInt(o.asked.Add(1), 10), Region: "RU"}
	for _, c := range change {
		c(&a)
	}
	result, err := o.Order(o.t.Context(), a, s)
	require.NoError(o.t, err)
	return result
}

// all are the callbacks, the latest first.
func (o *office) all() []callback.Callback {
	o.t.Helper()
	list, err := o.List(o.t.Context(), callback.Filter{Sites: scope.Of(shop)}, 100)
	require.NoError(o.t, err)
	return list
}

func (o *office) last() callback.Callback {
	o.t.Helper()
	list := o.all()
	require.NotEmpty(o.t, list)
	return list[0]
}

// look does what the queue would do.
func (o *office) look() {
	o.t.Helper()
	for _, c := range o.all() {
		require.NoError(o.t, o.Look(o.t.Context(), c.SiteID, c.ID))
	}
}

// tell tells of the last order.
func (o *office) tell(step telephony.Step, outcome ...telephony.Outcome) {
	o.t.Helper()
	orders := o.pbx.orders()
	o.tellOf(orders[len(orders)-1].ID, step, outcome...)
}

func (o *office) tellOf(order string, step telephony.Step, outcome ...telephony.Outcome) {
	o.t.Helper()
	p := telephony.Progress{Order: order, Step: step, Talk: telephony.Untold}
	if len(outcome) > 0 {
		p.Outcome = outcome[0]
	}
	if p.Outcome == telephony.Talked {
		p.Talk = 42
	}
	require.NoError(o.t, o.Progress(o.t.Context(), p))
}

func (o *office) kinds(id int64) (kinds []string) {
	o.t.Helper()
	steps, err := o.Steps(o.t.Context(), shop, id)
	require.NoError(o.t, err)
	for _, s := range steps {
		kinds = append(kinds, s.Kind)
	}
	return kinds
}

// run has the queue do its jobs until the test ends.
func (o *office) run() {
	running, stop := context.WithCancel(o.t.Context())
	over := make(chan struct{})
	go func() { defer close(over); o.queue.Run(running) }()
	o.t.Cleanup(func() { stop(); <-over })
}

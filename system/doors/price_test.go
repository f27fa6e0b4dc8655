package doors

import (
	"cmp"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver of the reader that keeps the log

	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/edge"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// everything is a shop and its desk with all that can be switched on.
const everything = `{
	frontdesk {
		database sqlite $DIR/frontdesk.db
		operator vera {env.TEST_HASH}
		pool spring 74957650001 74957650002 74957650003
		mail smtp://$MAIL {
			from desk@shop.example
		}
		telephony webhook http://$RECEIVER {
			secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
		}
		telephony sip {
			listen udp/127.0.0.1:$SIP_PORT
			trunk 127.0.0.1
			trust 127.0.0.1
			destination 74951234567
		}
		telephony twilio {
			account AC0123456789abcdef0123456789abcdef
			auth_token 0123456789abcdef0123456789abcdef
			destination 74950000000
		}
		webhooks {
			allow 127.0.0.1
		}
	}
	servers {
		trusted_proxies static 127.0.0.1/32
	}
}
http://localhost:$SHOP_PORT {
	frontdesk shop {
		phone_mask "+7 (###) ###-##-##"
		region RU
		number 74951234567 {
			target .phone "#callme" "[name=tel]"
			selector "footer .contacts a.tel"
			static 74957654321 utm_source=news*
			picture ".pictured"
			dynamic spring
		}
		number 74951112233 {
			selector "p:last-child a:not(.x)"
			static 74957654322 utm_source=*
		}
		prerender dynamic
		credentials form.lead
		supersede on
		callback {
			phone 74951112233
			per_day 10000
			platform webhook
		}
		capture /contact {
			message text
		}
		capture /join {
			kind visitor
		}
	}
	reverse_proxy $ORIGIN
}
http://localhost:$DESK_PORT {
	frontdesk_console
}`

const (
	password = "correct horse battery"
	hash     = "$argon2id$v=19$m=47104,t=1,p=1$ccRWwfbyJLBVmCXM6m//6w$xvK8dstk79aVraU76oJBQfD/VnIl1cUPIj6ZJVs4V+k"
)

// cost is what a request has cost, in bytes.
type cost struct {
	received  int64 // of it, and of the page that the site's origin has answered
	walked    int64 // over; see [steps.Walk]
	allocated int64
	written   int64 // to the database
	answered  int64
	opened    bool // the request has got behind the door
	status    int
}

// price is what a request may cost: a fixed sum, and so much for each byte that is received.
type price struct{ fixed, each int64 }

func (p price) of(received int64) int64 { return p.fixed + p.each*received }

// The prices of all doors that have none of their own.
var (
	walkPrice   = price{256 << 10, 64}
	memoryPrice = price{512 << 10, 64}
	diskPrice   = price{512 << 10, 4} // a write of few bytes changes some sixty pages of 4 KB
	answerPrice = price{1 << 20, 1}
	// othersPrice is for all requests to a door together: what they have sent to consoles, to the visitor who has a
	// stream open, to webhooks and by mail.
	othersPrice = price{1 << 20, 2}
)

// usualSize is about how many bytes are sent: as many as most doors take, less what stands around them.
const usualSize = 56 << 10

// share is an amount, and the most that it may be.
type share struct {
	what        string
	spent, most int64
}

// shares are what the input has cost.
func (d door) shares(kind string, c cost) []share {
	memory := cmp.Or(d.of[kind], d.memory, memoryPrice)
	return []share{
		{"walked over", c.walked, walkPrice.of(c.received)}, {"allocated", c.allocated, memory.of(c.received)},
		{"written to the database", c.written, diskPrice.of(c.received)}, {"answered", c.answered, answerPrice.of(c.received)},
	}
}

// meter counts what requests to the program cost.
type meter struct {
	*program
	log   string // the database's
	empty *sql.Conn
}

func newMeter(p *program) *meter {
	db, err := sql.Open("sqlite", "file:"+p.database)
	require.NoError(p.T, err)
	p.T.Cleanup(func() { db.Close() })
	conn, err := db.Conn(p.T.Context())
	require.NoError(p.T, err)
	return &meter{p, p.database + "-wal", conn}
}

// written is the length of the database's log, in bytes.
func (m *meter) written() int64 {
	file, err := os.Stat(m.log)
	require.NoError(m.T, err)
	return file.Size()
}

// of is what the request costs until it is answered, or, for a form that is found, until it has been looked at. The
// database's log is emptied before, so that all that is written makes it longer.
func (m *meter) of(c *client, d door, r request) (spent cost) {
	for m.written() > 0 {
		_, err := m.empty.ExecContext(m.T.Context(), "PRAGMA wal_checkpoint(TRUNCATE)")
		require.NoError(m.T, err)
	}
	sent, found := r.bytes(c.host), 0.0
	m.origin.Store(&r)
	c.dial()
	if d.found {
		found = m.Metric("frontdesk_forms_found_total")
	}
	var a answer
	used := stepstest.Of(func() {
		if r.datagram != "" {
			m.sip(r.datagram)
			return
		}
		a = c.sendBytes(sent, r.announced > len(r.body), d.stream)
		if d.found && a.status == http.StatusOK {
			m.await(func() bool { return m.Metric("frontdesk_forms_found_total") > found })
		}
	})
	return cost{
		received:  int64(len(sent) + len(r.datagram) + len(r.origin) + len(strings.Join(r.originFields, ""))),
		walked:    used.Walked,
		allocated: used.Allocated,
		written:   m.written(),
		answered:  int64(len(a.body)),
		opened:    r.datagram != "" || d.opened(a),
		status:    a.status,
	}
}

// dear are the amounts of which the input costs too much. What it costs more than half of is dear only if it grows
// faster than the input: with a quarter of the bytes it has to cost a sixth at least.
func (m *meter) dear(c *client, d door, kind string, whole, quarter func() request) (dear []string, spent cost) {
	spent = m.of(c, d, whole())
	var less []share
	for i, s := range d.shares(kind, spent) {
		if s.spent > s.most {
			dear = append(dear, fmt.Sprintf("%d bytes %s for %d received: expected %d at most", s.spent, s.what, spent.received, s.most))
		}
		if s.spent <= s.most/2 {
			continue
		}
		if less == nil {
			less = d.shares(kind, m.of(c, d, quarter()))
		}
		if s.spent > 6*less[i].spent {
			dear = append(dear, fmt.Sprintf("%d bytes %s for %d received, and %d for a quarter of them", s.spent, s.what, spent.received, less[i].spent))
		}
	}
	return dear, spent
}

func TestPriceOfEveryDoor(t *testing.T) {
	t.Setenv("TEST_HASH", hash)
	p := run(t, everything)
	p.signIn("vera", password)
	s := newScene(p)
	m := newMeter(p)
	all := doors()
	var mounted []string
	for _, pattern := range edge.Patterns("/frontdesk/") {
		mounted = append(mounted, "shop "+pattern)
	}
	for _, pattern := range console.Patterns() {
		mounted = append(mounted, "desk "+pattern)
	}
	for _, name := range mounted {
		_, listed := all[name]
		require.True(t, listed, "say in the table of doors how %s is asked", name)
	}
	s.listen()
	for _, name := range slices.SortedFunc(maps.Keys(all), inOrder) {
		d, c, size := all[name], p.at("shop"), cmp.Or(all[name].size, usualSize)
		if strings.HasPrefix(name, "desk ") || strings.HasPrefix(name, "program ") {
			c = p.at("desk")
		}
		opened, status, received, sent := false, 0, int64(0), p.sent.Load()
		for _, dearest := range d.dearest {
			whole, quarter := dearest(s, size), dearest(s, size/4)
			for _, kind := range slices.Sorted(maps.Keys(whole)) {
				// What else goes on in the program costs something now and then, and only makes it dearer.
				var dear []string
				for range 5 {
					var spent cost
					dear, spent = m.dear(c, d, kind, whole[kind], quarter[kind])
					opened, status, received = opened || spent.opened, spent.status, received+spent.received
					if dear == nil {
						break
					}
				}
				for _, complaint := range dear {
					t.Errorf("%s, %s: %s", name, kind, complaint)
				}
			}
		}
		assert.True(t, opened, "%s: no input has got behind this door, the last was answered with %d", name, status)
		assert.LessOrEqual(t, p.sent.Load()-sent, othersPrice.of(received), "%s: bytes sent to others for %d received", name, received)
	}
	require.Zero(t, p.Metric("frontdesk_faults_total"), "a loop over a page that takes more than eight steps for a byte ends in a fault")
}

// inOrder orders doors so that what they need is there when they are asked.
func inOrder(a, b string) int {
	order := func(name string) int {
		switch {
		case strings.HasSuffix(name, " /password"): // whose link is good until there is another
			return 0
		case strings.HasPrefix(name, "program DELETE"):
			return 3
		case strings.HasSuffix(name, "/removal"), strings.HasSuffix(name, "/account/email"), strings.HasSuffix(name, "/account/passkeys/options"), strings.HasSuffix(name, " /account/two-step"): // which takes wrong passwords
			return 2
		}
		return 1
	}
	return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a, b))
}

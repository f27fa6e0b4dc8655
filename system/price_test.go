package system

import (
	"cmp"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver of the reader that keeps the log

	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/edge"
)

// everything is a shop and its desk with all that can be switched on.
const everything = `{
	admin localhost:$ADMIN_PORT
	persist_config off
	log {
		level ERROR
	}
	frontdesk {
		database sqlite $DIR/frontdesk.db
		operator vera {env.TEST_HASH}
		pool spring 74957650001 74957650002 74957650003
		telephony webhook {
			secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
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
}
http://localhost:$SHOP_PORT {
	frontdesk shop {
		dynamical_replacement on
		phone_mask "+7 (###) ###-##-##"
		region RU
		number 74951234567 {
			target .phone "#callme" "[name=tel]"
			selector "footer .contacts a.tel"
			static 74957654321 utm_source=news*
			dynamic spring
		}
		number 74951112233 {
			selector "p:last-child a:not(.x)"
			static 74957654322 utm_source=*
		}
		prerender dynamic
		credentials form.lead
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
	allocated int64
	written   int64 // to the database
	answered  int64
}

// price is what a request may cost: a fixed sum, and so much for each byte that is received.
type price struct{ fixed, each int64 }

func (p price) of(received int64) int64 { return p.fixed + p.each*received }

// The prices of all doors that have none of their own.
var (
	memoryPrice = price{512 << 10, 64}
	diskPrice   = price{512 << 10, 4} // a write of few bytes changes some sixty pages of 4 KB
	answerPrice = price{1 << 20, 1}
)

// complaints say what was too dear.
func (d door) complaints(kind string, c cost) (all []string) {
	memory := cmp.Or(d.of[kind], d.memory, memoryPrice)
	for _, of := range []struct {
		what  string
		spent int64
		price
	}{{"allocated", c.allocated, memory}, {"written to the database", c.written, diskPrice}, {"answered", c.answered, answerPrice}} {
		if most := of.of(c.received); of.spent > most {
			all = append(all, fmt.Sprintf("%d bytes %s for %d received: expected %d at most", of.spent, of.what, c.received, most))
		}
	}
	return all
}

// meter counts what requests to the program cost.
type meter struct {
	*program
	log   string // the database's
	empty *sql.Conn
}

func newMeter(p *program) *meter {
	db, err := sql.Open("sqlite", "file:"+p.database)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(p.t.Context())
	require.NoError(p.t, err)
	return &meter{p, p.database + "-wal", conn}
}

// written is the length of the database's log, in bytes.
func (m *meter) written() int64 {
	file, err := os.Stat(m.log)
	require.NoError(m.t, err)
	return file.Size()
}

// of is what the request costs until it is answered. The database's log is emptied before, so that all that is written
// makes it longer.
func (m *meter) of(c *client, r request, stream bool) cost {
	for m.written() > 0 {
		_, err := m.empty.ExecContext(m.t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)")
		require.NoError(m.t, err)
	}
	sent := r.bytes(c.host)
	m.origin.Store(&r)
	c.dial()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a := c.sendBytes(sent, r.announced > len(r.body), stream)
	runtime.ReadMemStats(&after)
	return cost{
		received:  int64(len(sent) + len(r.origin) + len(strings.Join(r.originFields, ""))),
		allocated: int64(after.TotalAlloc - before.TotalAlloc),
		written:   m.written(),
		answered:  int64(len(a.body)),
	}
}

// usualSize is about how many bytes are sent: as many as most doors take.
const usualSize = 64 << 10

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
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d, c := all[name], p.at("shop")
		if strings.HasPrefix(name, "desk ") {
			c = p.at("desk")
		}
		for _, dearest := range d.dearest {
			dear := dearest(s, usualSize)
			for _, kind := range slices.Sorted(maps.Keys(dear)) {
				// What else goes on in the program costs something now and then, and only makes it dearer.
				var wrong []string
				for range 3 {
					spent := m.of(c, dear[kind](), d.stream)
					if wrong = d.complaints(kind, spent); wrong == nil {
						break
					}
				}
				for _, complaint := range wrong {
					t.Errorf("%s, %s: %s", name, kind, complaint)
				}
			}
		}
	}
}

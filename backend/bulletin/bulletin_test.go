package bulletin_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/notify/mailtest"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const shop = 7

// office is a mail server and the nodes that send by it.
type office struct {
	t    *testing.T
	db   *db.DB
	post *mailtest.Server
	keys *visittest.Rooms

	mu       sync.Mutex
	at       time.Time
	unserved bool // nobody serves the shop
}

func each(t *testing.T, test func(t *testing.T, o *office)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := &office{t: t, db: d, post: mailtest.Start(t)}
		o.set("2026-11-24 06:00")
		o.keys = visittest.Open(t, d, o.now)
		test(t, o)
	})
}

var berlin = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return zone
}()

func (o *office) now() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.at
}

// set sets the clock, in the time of Berlin.
func (o *office) set(at string) {
	o.t.Helper()
	set, err := time.ParseInLocation("2006-01-02 15:04", at, berlin)
	require.NoError(o.t, err)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.at = set
}

func (o *office) pass(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.at = o.at.Add(d)
}

// node starts a node, which sends until the test ends or until it is stopped.
func (o *office) node() (b *bulletin.Bulletins, stop func()) {
	o.t.Helper()
	server, err := mail.ParseServer("smtp://"+o.post.Address, "", "Shop <desk@shop.example>")
	require.NoError(o.t, err)
	q := queue.New(o.db, zap.NewNop())
	deliveries := notify.New(notify.Subjects{DB: o.db, Journal: journal.New(o.db), Queue: q}, func() notify.Settings { return notify.Settings{Mail: &server} }, nil, o.now, zap.NewNop())
	b = bulletin.New(bulletin.Subjects{
		DB: o.db, Keys: o.keys.Keys, Queue: q, Deliveries: deliveries,
		Site: func(context.Context, int64) (bulletin.Served, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			if o.unserved {
				return bulletin.Served{}, bulletin.ErrNotServed
			}
			return bulletin.Served{Zone: berlin, Service: "https://shop.example/frontdesk/"}, nil
		},
		Write: func(_ context.Context, i bulletin.Issue) (bulletin.Written, error) {
			return bulletin.Written{Subject: fmt.Sprintf("%s %s %s", i.Every, i.Covers.First, i.Covers.Last), Text: i.Stop + "\n", HTML: "<p>" + i.Address + "</p>"}, nil
		},
	}, o.now, zap.NewNop())
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	o.t.Cleanup(stop)
	return b, stop
}

// sent waits until nothing is to be sent any more, and takes the subjects of what was sent, in their order.
func (o *office) sent() (subjects []string) {
	o.t.Helper()
	var letters []mailtest.Letter
	require.Eventually(o.t, func() bool {
		jobs, _, err := db.One(o.t.Context(), o.db.Read(), db.Only[int], `SELECT COUNT(*) FROM jobs WHERE kind = 'bulletin'`)
		letters = append(letters, o.taken()...) // the server has no room for many
		return err == nil && jobs == 0
	}, time.Minute, time.Millisecond)
	for _, l := range append(letters, o.taken()...) {
		subjects = append(subjects, l.Subject)
	}
	slices.Sort(subjects)
	return subjects
}

// taken takes the letters that the mail server has accepted.
func (o *office) taken() (letters []mailtest.Letter) {
	for {
		select {
		case text := <-o.post.Letters:
			letters = append(letters, mailtest.Read(o.t, text))
		default:
			return letters
		}
	}
}

func (o *office) subscribe(b *bulletin.Bulletins, address string, every bulletin.Every) bulletin.Subscription {
	o.t.Helper()
	s, err := b.Add(o.t.Context(), bulletin.Subscription{SiteID: shop, Address: address, Language: "en", Every: every}, "vera")
	require.NoError(o.t, err)
	return s
}

func (o *office) get(b *bulletin.Bulletins, s bulletin.Subscription) bulletin.Subscription {
	o.t.Helper()
	s, err := b.Get(o.t.Context(), s.SiteID, s.ID)
	require.NoError(o.t, err)
	return s
}

// look has all nodes look at once for what is due.
func (o *office) look(nodes ...*bulletin.Bulletins) {
	o.t.Helper()
	failed := make(chan error, len(nodes))
	for _, b := range nodes {
		go func() { failed <- b.Look(o.t.Context()) }()
	}
	for range nodes {
		require.NoError(o.t, <-failed)
	}
}

// Each period is mailed once: by several nodes, over the change of clocks, and after a restart.
func TestEachPeriodIsMailedOnce(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.set("2026-03-27 12:00") // a Friday; clocks are put forward on Sunday
		a, stopA := o.node()
		b, _ := o.node()
		for _, every := range bulletin.Frequencies {
			o.subscribe(a, "owner@shop.example", every)
		}
		o.look(a, b)
		require.Empty(t, o.sent(), "nothing of periods that were over before")
		var sent []string
		for range 6 * 24 { // until Thursday noon
			o.pass(time.Hour)
			o.look(a, b)
			if o.now().In(berlin).Hour() == 8 {
				sent = append(sent, slices.Sorted(slices.Values(o.sent()))...) // two nodes send what is due at once in any order
			}
		}
		require.Equal(t, []string{
			"day 2026-03-27 2026-03-27", "day 2026-03-28 2026-03-28",
			"day 2026-03-29 2026-03-29", "week 2026-03-23 2026-03-29",
			"day 2026-03-30 2026-03-30", "day 2026-03-31 2026-03-31", "month 2026-03-01 2026-03-31", "day 2026-04-01 2026-04-01",
		}, sent)
		require.Empty(t, o.sent())

		// Both end between having a mail sent and sending it.
		stopA()
		o.set("2026-04-03 07:00")
		o.look(a)
		restarted, _ := o.node()
		o.look(restarted)
		require.Equal(t, []string{"day 2026-04-02 2026-04-02"}, o.sent())

		// Of what was missed in five weeks, the latest is sent.
		o.set("2026-05-10 12:00")
		o.look(restarted, b)
		require.Equal(t, []string{"day 2026-05-09 2026-05-09", "month 2026-04-01 2026-04-30", "week 2026-04-27 2026-05-03"}, o.sent())
		o.set("2026-05-10 11:00") // a clock that is put back
		o.look(restarted, b)
		require.Empty(t, o.sent())
	})
}

func TestMailOfFigures(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		b, _ := o.node()
		s := o.subscribe(b, "owner@shop.example", bulletin.Week)
		require.NoError(t, b.Try(t.Context(), shop, s.ID, "vera"))
		require.ErrorIs(t, b.Try(t.Context(), shop, s.ID, "vera"), bulletin.ErrSoon)
		require.Eventually(t, func() bool { return !o.get(b, s).SentAt.IsZero() }, time.Minute, time.Millisecond)
		l := o.taken()[0]
		require.Equal(t, "week 2026-11-16 2026-11-22", l.Subject)
		require.Equal(t, "<owner@shop.example>", l.Get("To"))
		require.Equal(t, "<p>owner@shop.example</p>", strings.TrimSpace(l.HTML))
		link := strings.TrimSpace(l.Plain)
		require.Equal(t, "<"+link+">", l.Get("List-Unsubscribe"))
		require.Equal(t, "List-Unsubscribe=One-Click", l.Get("List-Unsubscribe-Post"))
		_, token, _ := strings.Cut(link, "?t=")
		found, err := b.OfToken(t.Context(), shop, token)
		require.NoError(t, err)
		require.Equal(t, s.ID, found.ID)
		for _, wrong := range []string{"", token + "x", "1" + token, strings.Repeat("a", 1000)} {
			_, err = b.OfToken(t.Context(), shop, wrong)
			require.ErrorIs(t, err, bulletin.ErrUnknown)
		}
		_, err = b.OfToken(t.Context(), shop+1, token)
		require.ErrorIs(t, err, bulletin.ErrUnknown, "at another site")
		o.pass(401 * 24 * time.Hour)
		_, err = b.OfToken(t.Context(), shop, token)
		require.ErrorIs(t, err, bulletin.ErrUnknown, "too late")
	})
}

// What a server will never take is tried once for each period, and after some in a row no more. What it may take later stays.
func TestRefusedAddress(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		b, _ := o.node()
		s := o.subscribe(b, "gone@shop.example", bulletin.Day)
		o.look(b)
		o.post.Refuse(550, "no such user here\r\nBcc: x")
		for day := range bulletin.MaxRefusals {
			require.Equal(t, bulletin.Active, o.get(b, s).State)
			o.set(fmt.Sprintf("2026-11-%d 07:30", 24+day))
			o.look(b)
			require.Empty(t, o.sent())
		}
		refused := o.get(b, s)
		require.Equal(t, []any{bulletin.Refused, "smtp", 550}, []any{refused.State, refused.Reason, refused.Status})
		require.Contains(t, refused.Detail, "no such user here")
		require.NotContains(t, refused.Detail, "\n")
		o.set("2026-11-28 07:30")
		o.look(b)
		require.Empty(t, o.sent())
		journaltest.Entries(t, o.db)
		noted, err := journal.New(o.db).Administration(t.Context(), scope.Of(shop), journal.Position{}, 10)
		require.NoError(t, err)
		require.Equal(t, bulletin.RefusedFor, noted[0].Kind)

		require.NoError(t, b.Pause(t.Context(), shop, s.ID, false, "vera"))
		o.look(b) // which sends nothing of the time before
		o.post.Refuse(451, "come again later")
		o.set("2026-11-29 07:30")
		o.look(b)
		require.Eventually(t, func() bool { return o.get(b, s).Status == 451 }, time.Minute, time.Millisecond)
		require.Equal(t, bulletin.Active, o.get(b, s).State)
		jobs, _, err := db.One(t.Context(), o.db.Read(), db.Only[int], `SELECT COUNT(*) FROM jobs WHERE kind = 'bulletin' AND dead_at = 0`)
		require.NoError(t, err)
		require.Equal(t, 1, jobs, "it is tried again")

		o.post.Refuse(0, "")
		require.NoError(t, b.Try(t.Context(), shop, s.ID, "vera"))
		require.Eventually(t, func() bool { return o.get(b, s).Reason == "" }, time.Minute, time.Millisecond)
	})
}

// A reader who stops one of the mails gets none of the site any more.
func TestReaderStops(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		b, _ := o.node()
		mine, also, other := o.subscribe(b, "owner@shop.example", bulletin.Day), o.subscribe(b, "Owner@shop.example", bulletin.Week), o.subscribe(b, "chief@shop.example", bulletin.Day)
		o.look(b)
		require.NoError(t, b.Stop(t.Context(), mine))
		require.NoError(t, b.Stop(t.Context(), mine), "again")
		require.Equal(t, bulletin.Stopped, o.get(b, also).State)
		require.ErrorIs(t, b.Try(t.Context(), shop, also.ID, "vera"), bulletin.ErrStopped)
		require.ErrorIs(t, b.Pause(t.Context(), shop, also.ID, false, "vera"), bulletin.ErrStopped)
		o.set("2026-11-30 08:00") // a Monday
		o.look(b)
		require.Len(t, o.sent(), 1)
		require.Equal(t, bulletin.Active, o.get(b, other).State)

		require.NoError(t, b.Pause(t.Context(), shop, other.ID, true, "vera"))
		require.NoError(t, b.Pause(t.Context(), shop, other.ID, true, "vera"), "again")
		o.set("2026-12-01 08:00")
		o.look(b)
		require.Empty(t, o.sent())
		require.NoError(t, b.Remove(t.Context(), shop, other.ID, "vera"))
		require.ErrorIs(t, b.Remove(t.Context(), shop, other.ID, "vera"), bulletin.ErrUnknown)
	})
}

// A node that does not serve a site leaves its mails to others.
func TestSiteOfAnotherNode(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		b, _ := o.node()
		o.subscribe(b, "owner@shop.example", bulletin.Day)
		o.look(b)
		o.unserved = true
		o.set("2026-11-24 08:00")
		o.look(b)
		require.Empty(t, o.sent())
		o.mu.Lock()
		o.unserved = false
		o.mu.Unlock()
		o.look(b)
		require.Len(t, o.sent(), 1)
	})
}

func TestWhatIsNoSubscription(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		b, _ := o.node()
		for wrong, expected := range map[bulletin.Subscription]error{
			{Address: ""}:                                      bulletin.ErrAddress,
			{Address: "Owner <owner@shop.example>"}:            bulletin.ErrAddress,
			{Address: "a@shop.example, b@shop.example"}:        bulletin.ErrAddress,
			{Address: "a@shop.example\r\nBcc: b@shop.example"}: bulletin.ErrAddress,
			{Address: strings.Repeat("a", 300) + "@x.example"}: bulletin.ErrAddress,
			{Every: "hour"}:                                    bulletin.ErrEvery,
			{Language: "xx"}:                                   bulletin.ErrLanguage,
		} {
			wrong.SiteID = shop
			if wrong.Every != "" || wrong.Language != "" {
				wrong.Address = "owner@shop.example"
			}
			wrong.Every, wrong.Language = cmp.Or(wrong.Every, bulletin.Day), cmp.Or(wrong.Language, "en")
			_, err := b.Add(t.Context(), wrong, "vera")
			require.ErrorIs(t, err, expected)
		}
		o.subscribe(b, "owner@shop.example", bulletin.Day)
		_, err := b.Add(t.Context(), bulletin.Subscription{SiteID: shop, Address: "OWNER@shop.example", Language: "ru", Every: bulletin.Day}, "vera")
		require.ErrorIs(t, err, bulletin.ErrTwice)
		for n := range bulletin.MaxSubscriptions - 1 {
			o.subscribe(b, fmt.Sprintf("a%d@shop.example", n), bulletin.Day)
		}
		_, err = b.Add(t.Context(), bulletin.Subscription{SiteID: shop, Address: "b@shop.example", Language: "ru", Every: bulletin.Day}, "vera")
		require.ErrorIs(t, err, bulletin.ErrTooMany)
		found, err := b.List(t.Context(), scope.All(), 100)
		require.NoError(t, err)
		require.Len(t, found, bulletin.MaxSubscriptions)
	})
}

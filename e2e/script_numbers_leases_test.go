package e2e

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

const (
	free      = `<p>8 495 123-45-67</p><p>8 800 555-35-35</p>`
	ownNumber = `document.querySelector("p").textContent`
	shared    = `document.querySelector("p + p").textContent`
	asPrinted = "8 495 123-45-67"
)

// leasing opens a page that shows a number of its visitor's own, and one that all visitors of the source see.
func leasing(t *testing.T) (*scriptService, *tab) {
	t.Helper()
	s, b := newScriptService(t, variantA), newTab(t)
	s.tell(append(leased(issue(t, moscow)), issue(t, pair{Digits: "78005553535", Replacement: "78000000000"})...))
	s.page("/", insertion(""), free)
	s.page("/next", insertion(""), free)
	s.page("/blank", "", "")
	b.before(heldClock)
	b.visit(s.URL)
	b.until(ownNumber + ` === "8 495 765-43-21" && ` + shared + ` === "8 800 000-00-00"`)
	return s, b
}

// becomes waits until the page shows the number as its visitor's own.
func (b *tab) becomes(number string) {
	b.t.Helper()
	b.until(ownNumber + ` === "` + number + `"`)
}

// While a page is looked at it asks each minute which numbers are the visitor's, and shows these.
func TestNumbersThatChangeWhileThePageIsLookedAt(t *testing.T) {
	t.Parallel()
	s, b := leasing(t)
	b.do(`clock.pass(60000)`)
	require.Equal(t, true, s.await("presence", 1)[0].body["numbers"])
	s.pastAll(b, "Svc")
	require.Equal(t, "8 495 765-43-21", value[string](b, ownNumber))
	s.tell(leased(issue(t, other)))
	b.do(`clock.pass(60000)`)
	b.becomes("8 495 000-11-22")
	b.until(shared + ` === "8 800 555-35-35"`)

	// Not known now: what is shown stays.
	s.tell(nil)
	b.do(`clock.pass(60000)`)
	s.await("presence", 3)
	s.pastAll(b, "Svc")
	require.Equal(t, "8 495 000-11-22", value[string](b, ownNumber))

	// None is the visitor's any more: the page asks no longer.
	s.tell([]issued{})
	b.do(`clock.pass(60000)`)
	b.becomes(asPrinted)
	b.do(`clock.pass(60000)`)
	require.NotContains(t, s.await("presence", 5)[4].body, "numbers")
	require.Equal(t, 0, value[int](b, `clock.waiting(5000)`))
}

// A page without numbers of the visitor's own asks for nothing.
func TestPageWithoutLeasesDoesNotAsk(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.tell(issue(t, moscow))
	s.page("/", insertion(""), free)
	b.before(heldClock)
	b.visit(s.URL)
	b.becomes("8 495 765-43-21")
	b.do(`clock.sleep(1e7); clock.pass(60000)`)
	require.NotContains(t, s.await("presence", 1)[0].body, "numbers")
	require.Equal(t, 0, value[int](b, `clock.waiting(5000)`))
	require.Equal(t, "8 495 765-43-21", value[string](b, ownNumber))
}

// A page that nobody looks at gives its number back when the lease may be over. Who comes back sees what the service says then.
func TestNumberOfAPageThatIsHiddenForLong(t *testing.T) {
	t.Parallel()
	s, b := leasing(t)
	b.covered(true)
	b.do(`clock.sleep(100000); clock.pass(5000)`)
	require.Equal(t, "8 495 765-43-21", value[string](b, ownNumber), "the lease lasts for 150 seconds")
	b.do(`clock.sleep(50000); clock.pass(5000)`)
	require.Equal(t, asPrinted, value[string](b, ownNumber))
	require.Equal(t, "8 800 000-00-00", value[string](b, shared), "the number of a source stays")
	require.Nil(t, value[any](b, "Svc.getDTPhones()"))
	require.Equal(t, []any{"78000000000"}, value[any](b, `Svc.getPhones().map(phone => phone.raw)`))
	require.Equal(t, map[string]any{}, value[any](b, `Svc.getReplacedPhones("dynamic")`))

	// While nothing is heard, the printed number stays.
	s.set(func() {
		s.intercept = func(a arrival, _ int) *reply {
			if a.route == "presence" {
				return &reply{status: 503, body: `{"success": false, "code": "unavailable"}`}
			}
			return nil
		}
	})
	b.covered(false)
	require.True(t, s.saying("here 3001") != nil && s.got("presence")[1].body["numbers"] == true)
	s.pastAll(b, "Svc")
	require.Equal(t, asPrinted, value[string](b, ownNumber))

	s.set(func() { s.intercept = nil })
	b.do(`clock.pass(60000)`)
	b.becomes("8 495 765-43-21")
	b.until(`Svc.getReplacedPhones("dynamic")["74957654321"]`)
	require.Equal(t, 1, value[int](b, `clock.waiting(5000)`))
}

// A computer that has slept shows the number that the service says, and the printed one until then.
func TestNumberOfAPageThatHasSlept(t *testing.T) {
	t.Parallel()
	s, b := leasing(t)
	s.tell(leased(issue(t, other)))
	held := make(chan struct{})
	s.set(func() {
		s.intercept = func(a arrival, _ int) *reply {
			if a.route == "presence" {
				return &reply{release: held}
			}
			return nil
		}
	})
	b.do(`clock.sleep(3600000); clock.pass(5000)`)
	require.Equal(t, asPrinted, value[string](b, ownNumber))
	s.await("presence", 1)
	close(held)
	b.becomes("8 495 000-11-22")
	require.Len(t, s.got("presence"), 1, "it asks once")
}

// A page from the back-forward cache never shows a number whose lease may be over.
func TestNumberOfAPageFromTheCacheOfTheBrowser(t *testing.T) {
	t.Parallel()
	useWhole(t)
	comesFromTheCache(t, func() bool {
		s, b := leasing(t)
		b.do(`addEventListener("pageshow", event => { window.seen = ` + ownNumber + `; }, false);
			window.addEventListener("pagehide", () => clock.sleep(200000), true);`)
		b.visit(s.URL + "/blank")
		held := make(chan struct{})
		s.tell(leased(issue(t, other)))
		s.set(func() {
			s.intercept = func(a arrival, _ int) *reply {
				if a.route == "hit" {
					return &reply{release: held}
				}
				return nil
			}
		})
		b.do(`history.back()`)
		b.until(`location.pathname === "/" && (window.seen || performance.getEntriesByType("navigation")[0].type === "back_forward")`)
		if !value[bool](b, "!!window.seen") {
			close(held)
			return false
		}
		require.Equal(t, asPrinted, value[string](b, "seen"))
		close(held)
		b.becomes("8 495 000-11-22")
		return true
	})
}

// comesFromTheCache tries again when the page that try goes back to has been loaded: a browser that is busy gives up what
// its back-forward cache has.
func comesFromTheCache(t *testing.T, try func() bool) {
	t.Helper()
	for attempt := 1; !try(); attempt++ {
		require.Less(t, attempt, 5, "no page has come from the back-forward cache")
	}
}

// What the page before has shown is not shown at once when its lease may be over.
func TestNumbersOfTheLastPageWhoseLeaseIsOver(t *testing.T) {
	t.Parallel()
	s, b := leasing(t)
	held := make(chan struct{})
	defer close(held)
	s.set(func() {
		s.intercept = func(a arrival, _ int) *reply {
			if a.route == "hit" {
				return &reply{release: held}
			}
			return nil
		}
	})
	b.visit(s.URL + "/next")
	b.becomes("8 495 765-43-21")
	b.before(`clock.sleep(200000)`)
	b.visit(s.URL + "/next")
	b.until(shared + ` === "8 800 000-00-00"`)
	require.Equal(t, asPrinted, value[string](b, ownNumber))
}

// On the running program, with a pool of one number: when its visitor has been away for longer than the hold, another gets the
// number, and the first one's page does not show it any more.
func TestNumberOfAVisitorWhoComesBack(t *testing.T) {
	t.Parallel()
	config := example(t)
	const pool = "pool ads 74957650011 74957650012 74957650013"
	require.Contains(t, config, pool)
	file := filepath.Join(memory(t), "frontdesk.db")
	p := runProgram(t, strings.Replace(config, pool, "pool ads 74957650011 {\n\t\t\thold 1m\n\t\t}", 1), "sqlite "+file)
	d := dbtest.Open(t, db.Settings{Engine: db.SQLite, Source: file})
	const address, own = "/?utm_medium=cpc", "74957650011"
	shows := func(b *tab, digits string) {
		t.Helper()
		b.until(`window.Svc && Svc.getCredentials().hit_id && ` + printedNumbers + `.includes("` + digits + `")`)
	}
	first, second := newTab(t), newTab(t)
	first.before(heldClock)
	first.leases(p.shop + address)
	shows(first, own)
	first.covered(true)

	// Time passes in the database, and in the page.
	write := func(statement string, args ...any) {
		t.Helper()
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, statement, args...)
			return err
		}))
	}
	over := time.Now().Add(-time.Second).UnixMilli()
	write(`UPDATE pool_numbers SET until = $1 WHERE digits = $2`, over, own)
	second.leases(p.shop + address)
	shows(second, own)

	// The page is awake, and its clock has gone on: it knows that the lease is over.
	first.do(`clock.sleep(200000);`)
	first.covered(false)
	require.NotContains(t, value[string](first, printedNumbers), own, "at once")
	shows(first, "74951234567")
	require.Nil(t, value[any](first, "Svc.getDTPhones()"))
	require.Contains(t, value[string](second, printedNumbers), own)

	// The second one goes, and the first one looks at the page again.
	second.close()
	write(`UPDATE pool_numbers SET until = $1 WHERE digits = $2`, over, own)
	first.leases(p.shop + address)
	shows(first, own)

	// Its clock says nothing, but the lease is another's: the page learns of it when it says that somebody is there.
	write(`UPDATE pool_numbers SET until = $1 WHERE digits = $2`, over, own)
	third := newTab(t)
	third.leases(p.shop + address)
	shows(third, own)
	first.do(`clock.pass(60000)`)
	shows(first, "74951234567")
	require.NotContains(t, value[string](first, printedNumbers), own)
}

package console_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// pbx is a telephone platform that notes what it is asked for.
type pbx struct {
	mu        sync.Mutex
	placed    []telephony.Order
	cancelled []string
	fails     error
}

func (p *pbx) Name() string { return "webhook" }

func (p *pbx) Place(_ context.Context, o telephony.Order) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.placed = append(p.placed, o)
	return p.fails
}

func (p *pbx) Cancel(_ context.Context, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancelled = append(p.cancelled, id)
	return nil
}

func (p *pbx) orders() []telephony.Order {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]telephony.Order{}, p.placed...)
}

var calledFirst = callback.Settings{Phone: "74951234567"}

// callBack has a visitor of the shop ask for a callback.
func (d *desk) callBack(phone string, a callback.Asked) callback.Callback {
	d.t.Helper()
	a.SiteID, a.Phone, a.Region, a.ID = d.shop.ID, phone, "RU", fmt.Sprint("asked", d.calls.Add(1))
	_, err := d.Callbacks.Order(d.t.Context(), a, calledFirst)
	require.NoError(d.t, err)
	return d.callbacks()[0]
}

// callbacks are those of the shop, the latest first.
func (d *desk) callbacks() []callback.Callback {
	d.t.Helper()
	list, err := d.Callbacks.List(d.t.Context(), callback.Filter{Sites: scope.Of(d.shop.ID)}, 100)
	require.NoError(d.t, err)
	return list
}

// tells has the platform tell of its last order.
func (d *desk) tells(step telephony.Step, outcome telephony.Outcome, reason string) {
	d.t.Helper()
	orders := d.pbx.Load().orders()
	p := telephony.Progress{Order: orders[len(orders)-1].ID, Step: step, Outcome: outcome, Talk: telephony.Untold, Reason: reason}
	if outcome == telephony.Talked {
		p.Talk = 64
	}
	require.NoError(d.t, d.Callbacks.Progress(d.t.Context(), p))
}

// hasPlatform gives the shop a telephone platform and somebody who is called first.
func (d *desk) hasPlatform() *pbx {
	d.t.Helper()
	_, err := d.Sites.Change(d.t.Context(), d.shop.Key, d.shop.Version, site.Settings{Callback: &calledFirst}, "vera")
	require.NoError(d.t, err)
	d.pbx.Store(new(pbx))
	return d.pbx.Load()
}

func callbackPath(b callback.Callback) string { return fmt.Sprintf("/callbacks/%d/%d", b.SiteID, b.ID) }

var mayDo = regexp.MustCompile(`id="now" role="status"><span class="tag[^>]* data-may="([a-z ]*)">([^<]*)<`)

// stands is what the page of the callback says of its state, and what may be done.
func (b *browser) stands(at string) (state, may string) {
	b.t.Helper()
	page := b.get(at)
	require.Equal(b.t, http.StatusOK, page.status)
	found := mayDo.FindStringSubmatch(page.body)
	require.NotNil(b.t, found)
	return found[2], found[1]
}

var shownCallback = regexp.MustCompile(`<li id="callback-[^>]*>\s*<div class="who"><a [^>]*><bdi>([^<]*)</bdi>`)

func (b *browser) callbacksAt(query string) (phones []string) {
	b.t.Helper()
	page := b.get("/callbacks" + query)
	require.Equal(b.t, http.StatusOK, page.status)
	for _, found := range shownCallback.FindAllStringSubmatch(page.body, -1) {
		phones = append(phones, found[1])
	}
	return phones
}

func TestCallbacksAreListed(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Contains(t, b.get("/callbacks").body, "No callbacks yet")
		d.hasPlatform()
		h := d.hit(visit.Arrival{URL: "https://shop.example/<lamps>"})
		wanted := d.now().Add(2 * time.Hour)
		d.callBack("79123456701", callback.Asked{Ref: h.Ref, URL: "https://shop.example/<lamps>", Request: request.Request{Time: wanted}})
		d.callBack("79123456702", callback.Asked{Ref: h.Ref})
		d.tells(telephony.Ended, telephony.OperatorBusy, "")
		d.callBack("79123456703", callback.Asked{Ref: h.Ref})
		d.tells(telephony.Talking, "", "")
		d.tells(telephony.Ended, telephony.Talked, "")
		d.callBack("+49 30 901820", callback.Asked{Ref: h.Ref})
		one, two, three, four := "+7 912 345-67-01", "+7 912 345-67-02", "+7 912 345-67-03", "+49 30 901820"

		page := b.get("/callbacks").body
		for _, text := range []string{
			"/&lt;lamps&gt;", "next call <time datetime=\"" + wanted.UTC().Format(time.RFC3339), "attempt 1 of 3", "the operator&#39;s line was busy", "Talked 1:04",
			"calls to numbers of this country are not allowed", "Failed", "first &#43;7 495 123-45-67",
		} {
			require.Contains(t, page, text, text)
		}
		require.NotContains(t, page, "/<lamps>")
		for query, phones := range map[string][]string{
			"": {four, three, two, one}, "?state=open": {two, one}, "?state=missed": {four}, "?state=done": {three}, "?state=closed": nil,
			"?state=nonsense": {four, three, two, one}, "?number=6702": {two}, "?number=(912)+345": {three, two, one}, "?state=done&number=01": nil,
			fmt.Sprint("?site=", d.shop.ID): {four, three, two, one},
		} {
			require.Equal(t, phones, b.callbacksAt(query), query)
		}
		require.Contains(t, b.get("/callbacks?number=nothing%00").body, `id="number"`)
		require.NotContains(t, b.get("/callbacks?state=open").body, "data-live")

		card := b.get(fmt.Sprintf("/visitors/%d/%d", d.shop.ID, h.Visitor)).body
		require.Equal(t, 2, strings.Count(card, "Talked 1:04"), "in the list, and among the steps of the visit")
		require.Contains(t, card, fmt.Sprintf(`href="/callbacks/new?site=%d&amp;visitor=%d"`, d.shop.ID, h.Visitor))

		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		require.Empty(t, b.callbacksAt(fmt.Sprint("?site=", other.ID)))
		require.Len(t, b.callbacksAt("?site=0"), 4)
	})
}

func TestListOfCallbacksGoesOn(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		p := d.hasPlatform()
		for i := range 55 {
			_, _, err := d.Callbacks.Make(t.Context(), callback.By{SiteID: d.shop.ID, Login: "vera", Phone: fmt.Sprint("791234500", 10+i), Region: "RU"}, calledFirst)
			require.NoError(t, err)
		}
		require.Len(t, p.orders(), 55)
		b := d.signedIn("vera")
		for query, total := range map[string]int{"": 55, "?state=open&number=791234500": 55} {
			first := b.get("/callbacks" + query).body
			_, rest, found := strings.Cut(first, `<p class="after"><a class="button" href="/callbacks`)
			require.True(t, found)
			address, _, _ := strings.Cut(rest, `"`)
			older := b.callbacksAt(strings.ReplaceAll(address, "&amp;", "&"))
			all := append(b.callbacksAt(query), older...)
			require.Len(t, all, total)
			require.Equal(t, "+7 912 345-00-10", all[total-1])
		}
	})
}

// Whoever looks at a callback sees each step when it happens, and what can be done by then.
func TestCallbackIsLive(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hasPlatform()
		h := d.hit(visit.Arrival{URL: "https://shop.example/"})
		b := d.signedIn("vera")
		list := b.follow("/callbacks", "")
		made := d.callBack("79123456701", callback.Asked{Ref: h.Ref, URL: "https://shop.example/"})
		row := fmt.Sprintf(`<li id="callback-%d-%d">`, d.shop.ID, made.ID)
		list.until(row, "Calling the operator")
		page := b.follow(callbackPath(made), "")
		d.tells(telephony.OperatorRings, "", "")
		page.until(`hx-target="#now"`, "Calling the operator", "The operator&#39;s phone is ringing", `data-may="close"`)
		d.tells(telephony.VisitorRings, "", "")
		page.until("Calling the visitor", "the visitor&#39;s phone is ringing")
		list.until(row, "Calling the visitor")
		d.tells(telephony.Talking, "", "")
		page.until(">Talking<", "They are talking")
		d.tells(telephony.Ended, telephony.Talked, "")
		page.until("Talked 1:04", "The call ended: they talked", `data-may="call"`)
		list.until(row, "Talked 1:04")
	})
}

func TestWorkOnACallback(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		p := d.hasPlatform()
		h := d.hit(visit.Arrival{URL: "https://shop.example/"})
		made := d.callBack("79123456701", callback.Asked{Ref: h.Ref, URL: "https://shop.example/"})
		at := callbackPath(made)
		d.agent("boris")
		b := d.signedIn("boris")

		// While it is being called it can be closed alone.
		state, may := b.stands(at)
		require.Equal(t, []string{"Calling the operator", "close"}, []string{state, may})
		for _, deed := range []string{"/call", "/postponement"} {
			a := b.post(at+deed, "until", d.now().Add(time.Hour).UTC().Format(time.RFC3339))
			require.Equal(t, http.StatusConflict, a.status)
			require.Contains(t, a.body, "That is no longer possible.")
		}
		d.tells(telephony.Ended, telephony.OrderFailed, "Q.850 <34>")
		page := b.get(at).body
		require.Contains(t, page, "the telephone platform could not call")
		require.Contains(t, page, "Q.850 &lt;34&gt;")
		require.Contains(t, page, fmt.Sprintf(`href="/visitors/%d/%d"`, d.shop.ID, h.Visitor))
		state, may = b.stands(at)
		require.Equal(t, []string{"Waiting", "call postpone close"}, []string{state, may})

		// Times that are none, are past or too far ahead change nothing.
		before := d.everything()
		for _, until := range []string{"", "soon", "2020-01-01T10:00", d.now().Add(31 * 24 * time.Hour).UTC().Format(time.RFC3339), "99999-01-01T10:00", "\x00", strings.Repeat("9", 60000)} {
			a := b.post(at+"/postponement", "until", until)
			require.Equal(t, http.StatusUnprocessableEntity, a.status, "%.80q", until)
			require.Contains(t, a.body, "Choose a time within the next 30 days.")
		}
		require.Equal(t, before, d.everything())
		later := d.now().Add(3 * time.Hour).UTC().Truncate(time.Minute)
		a := b.post(at+"/postponement", "until", later.Format("2006-01-02T15:04:05.000Z"))
		require.Equal(t, http.StatusSeeOther, a.status)
		require.Equal(t, at, a.header.Get("Location"))
		require.True(t, d.callbacks()[0].DueAt.Equal(later))
		page = b.get(at).body
		require.Contains(t, page, "The callback is postponed.")
		require.Contains(t, page, "<strong><bdi>boris</bdi></strong> <bdi>postponed it</bdi>")

		require.Equal(t, http.StatusSeeOther, b.post(at+"/call").status)
		require.Len(t, p.orders(), 2)
		require.Equal(t, http.StatusConflict, b.post(at+"/call").status, "the other button was quicker")
		require.Len(t, p.orders(), 2)
		require.Equal(t, http.StatusSeeOther, b.post(at+"/closing").status)
		require.Eventually(t, func() bool { p.mu.Lock(); defer p.mu.Unlock(); return len(p.cancelled) == 1 }, time.Minute, 10*time.Millisecond)
		state, may = b.stands(at)
		require.Equal(t, []string{"Closed", "call postpone"}, []string{state, may})
		require.Equal(t, http.StatusConflict, b.post(at+"/closing").status)

		// A platform that does not take it, and none at all.
		p.mu.Lock()
		p.fails = errors.New("<no line>")
		p.mu.Unlock()
		a = b.post(at + "/call")
		require.Equal(t, http.StatusConflict, a.status)
		require.Contains(t, a.body, "No call was made: the telephone platform did not accept the call.")
		require.Contains(t, a.body, "&lt;no line&gt;")
		d.pbx.Store(nil)
		a = b.post(at + "/call")
		require.Equal(t, http.StatusConflict, a.status)
		require.Contains(t, a.body, "No call was made: no telephone platform is configured.")

		for _, nobodys := range []string{fmt.Sprintf("/callbacks/%d/%d", d.shop.ID, made.ID+1000), fmt.Sprintf("/callbacks/%d/%d", d.shop.ID+1000, made.ID), "/callbacks/x/y", fmt.Sprintf("/callbacks/%d/y", d.shop.ID)} {
			require.Equal(t, http.StatusNotFound, b.get(nobodys).status, nobodys)
			for _, deed := range []string{"/call", "/closing", "/postponement"} {
				require.Equal(t, http.StatusNotFound, b.post(nobodys+deed, "until", later.Format(time.RFC3339)).status, nobodys)
			}
		}
	})
}

func TestCallSomebodyByHand(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Contains(t, b.get("/callbacks/new").body, "Nobody can be called from this site")
		p := d.hasPlatform()
		sales, err := d.Groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: d.shop.ID, Name: "<Sales>", Phone: "74957654321", Routing: group.ToAll})
		require.NoError(t, err)
		h := d.hit(visit.Arrival{URL: "https://shop.example/"})
		l := d.lead(h, map[string]any{"name": "Anna", "phone": "8 912 345-67-77"})
		site := fmt.Sprint(d.shop.ID)

		require.Contains(t, b.get("/callbacks/new").body, "&lt;Sales&gt;")
		require.Contains(t, b.get(fmt.Sprintf("/leads/%d/%d", l.SiteID, l.ID)).body, fmt.Sprintf(`href="/callbacks/new?site=%s&amp;lead=%d"`, site, l.ID))
		for _, about := range []string{fmt.Sprint("&lead=", l.ID), fmt.Sprint("&visitor=", int64(h.Visitor))} {
			page := b.get("/callbacks/new?site=" + site + about).body
			require.Contains(t, page, `value="&#43;7 912 345-67-77"`, about)
			require.Contains(t, page, fmt.Sprintf(`name="visitor" value="%d"`, h.Visitor), about)
		}
		for _, nobody := range []string{"&lead=999", "&visitor=999"} {
			require.Equal(t, http.StatusNotFound, b.get("/callbacks/new?site="+site+nobody).status, nobody)
		}

		// What is wrong is said at its field, stays there, and changes nothing.
		for _, test := range []struct{ phone, until, said string }{
			{"", "", "This is not a telephone number."},
			{"12", "", "This is not a telephone number."},
			{"+7 912 345\r\n67-89", "", "This is not a telephone number."},
			{"<script>", "", "This is not a telephone number."},
			{"8 809 505-12-34", "", "Numbers of this kind are not called"},
			{"8 912 345-67-89", "tomorrow", "Choose a time within"},
			{"8 912 345-67-89", d.now().Add(-time.Hour).UTC().Format(time.RFC3339), "Choose a time within"},
			{"8 912 345-67-89", d.now().Add(40 * 24 * time.Hour).UTC().Format(time.RFC3339), "Choose a time within"},
		} {
			a := b.post("/callbacks", "site", site, "phone", test.phone, "until", test.until)
			require.Equal(t, http.StatusUnprocessableEntity, a.status, "%q", test.phone)
			require.Contains(t, a.body, test.said, "%q", test.phone)
			require.NotContains(t, a.body, "<script>")
		}
		for _, fields := range [][]string{{"group", "999"}, {"group", "-1"}, {"group", "x"}, {"visitor", "x"}} {
			require.Equal(t, http.StatusBadRequest, b.post("/callbacks", append(fields, "site", site, "phone", "8 912 345-67-89")...).status, "%s", fields)
		}
		require.Equal(t, http.StatusNotFound, b.post("/callbacks", "site", "999", "phone", "8 912 345-67-89").status)
		require.Empty(t, d.callbacks())
		require.Empty(t, p.orders())

		a := b.post("/callbacks", "site", site, "phone", "8 912 345-67-89", "group", fmt.Sprint(sales.ID), "visitor", fmt.Sprint(int64(h.Visitor)))
		require.Equal(t, http.StatusSeeOther, a.status, a.body)
		made := d.callbacks()[0]
		require.Equal(t, callbackPath(made), a.header.Get("Location"))
		require.Equal(t, h.Visitor, made.Visitor)
		require.Len(t, p.orders(), 1)
		require.Equal(t, "74957654321", p.orders()[0].Operator)
		page := b.get(callbackPath(made)).body
		require.Contains(t, page, "The call is being made.")
		require.Contains(t, page, "&lt;Sales&gt;")
		require.Contains(t, page, "<strong><bdi>vera</bdi></strong>")

		later := d.now().Add(2 * time.Hour).UTC().Truncate(time.Second)
		require.Equal(t, http.StatusSeeOther, b.post("/callbacks", "site", site, "phone", "8 912 345-67-90", "until", later.Format(time.RFC3339)).status)
		require.True(t, d.callbacks()[0].DueAt.Equal(later))
		require.Len(t, p.orders(), 1)

		// With several sites one is chosen first.
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		require.Contains(t, b.get("/callbacks/new?site=0").body, "Choose the site first")
		require.Contains(t, b.get("/callbacks/new?site="+site).body, "&lt;Sales&gt;")
		require.NotContains(t, b.get(fmt.Sprint("/callbacks/new?site=", other.ID)).body, "&lt;Sales&gt;")
		require.Equal(t, http.StatusBadRequest, b.post("/callbacks", "site", fmt.Sprint(other.ID), "phone", "8 912 345-67-91", "group", fmt.Sprint(sales.ID)).status)
	})
}

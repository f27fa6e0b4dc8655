package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// call takes what a platform tells of a call, now unless the event says when.
func (d *desk) call(e telephony.Event) call.Call {
	d.t.Helper()
	e.Platform = "webhook"
	if e.At.IsZero() {
		e.At = d.now()
	}
	if e.Talk == 0 {
		e.Talk, e.Wait = telephony.Untold, telephony.Untold
	}
	call, _, err := d.Subjects.Calls.Take(d.t.Context(), e)
	require.NoError(d.t, err)
	return call
}

func TestCallsAreListed(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Contains(t, b.get("/calls").body, "No calls yet")
		require.NotContains(t, b.get("/leads").header.Get("Content-Security-Policy"), "media-src")

		d.declareNumbers("node", number.Declared{Digits: "74951234567", Tracking: []string{"74957654321"}, Conditions: map[string]string{"74957654321": "utm_source=<news>"}})
		h := d.hit(visit.Arrival{URL: "https://shop.example/?utm_source=autumn"})
		require.NoError(t, d.Visits.AddInfo(t.Context(), d.shop.ID, h.Ref, visit.Info{Phone: "+7 912 345-67-89"}))
		began := d.now()
		d.call(telephony.Event{Call: "1", Kind: telephony.Start, Called: "74957654321", Caller: "79123456789"})
		end := telephony.Event{Call: "1", Kind: telephony.End, Status: telephony.Answered, At: began.Add(80 * time.Second), Talk: 64, Wait: 8,
			Recording: "https://pbx.example/1.mp3?a=1&b=2", Price: "1.50", Currency: "RUB"}
		d.pass(2 * time.Minute)
		d.call(end)
		d.call(telephony.Event{Call: "2", Kind: telephony.Start, Called: "74957654321"})
		d.call(telephony.Event{Call: "3", Kind: telephony.Start, Called: "74990000000", Caller: "79990000000", Notes: []string{telephony.NoteRecording}})

		page := b.get("/calls")
		require.Equal(t, http.StatusOK, page.status)
		require.True(t, strings.HasSuffix(page.header.Get("Content-Security-Policy"), "; media-src http: https:"))
		for _, text := range []string{
			"7 912 345-67-89", "7 495 765-43-21", "7 495 123-45-67", "first call", "Answered 1:04", "rang 0:08", "1.50 RUB", "Likely: a known caller", "autumn",
			`<audio controls preload="none" src="https://pbx.example/1.mp3?a=1&amp;b=2"`, fmt.Sprintf(`href="/visitors/%d/%d"`, d.shop.ID, h.Visitor),
			"Number withheld", "&lt;news&gt;", "Likely: the number shown for this source", "Ringing",
			"7 999 000-00-00", "not a number of any site", "the recording&#39;s address cannot be opened",
		} {
			require.Contains(t, page.body, text, text)
		}
		card := b.get(fmt.Sprintf("/visitors/%d/%d", d.shop.ID, h.Visitor))
		require.Equal(t, 2, strings.Count(card.body, "Answered 1:04"), "in the list, and among the steps of the visit")
		require.Contains(t, card.body, "<audio ")
		require.Contains(t, card.header.Get("Content-Security-Policy"), "media-src")

		d.pass(5 * time.Hour)
		require.Contains(t, b.get("/calls").body, "End not reported")
	})
}

func TestCallsToNumbersOfNoSite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for login, account := range map[string]operator.Account{
			"agent":  {Role: operator.Agent, Sites: scope.All()},
			"keeper": {Role: operator.Admin, Sites: scope.Of(d.shop.ID)},
		} {
			account.Login, account.Password = login, password
			_, err := d.Operators.Create(t.Context(), operator.Server(), account)
			require.NoError(t, err)
		}
		d.declareNumbers("node", number.Declared{Digits: "74951234567"})
		stray := func(i int) {
			d.call(telephony.Event{Call: fmt.Sprint("stray", i), Kind: telephony.Start, Called: "74990000000", Caller: "79990000000"})
		}
		mine := func(i int) {
			d.call(telephony.Event{Call: fmt.Sprint("mine", i), Kind: telephony.Start, Called: "74951234567", Caller: fmt.Sprintf("7912000%04d", i)})
		}
		stray(0)
		mine(0)
		for i, login := range []string{"vera", "agent", "keeper"} {
			b := d.signedIn(login)
			page := b.get("/calls")
			require.Contains(t, page.body, "7 495 123-45-67", login)
			require.Equal(t, login == "vera", strings.Contains(page.body, "7 999 000-00-00"), login)
			s := b.follow("/calls", "")
			stray(i + 1)
			mine(i + 1)
			told := ""
			s.hear(login, func(e event) bool {
				told += e.data
				return strings.Contains(told, fmt.Sprintf("7 912 000-%02d-%02d", (i+1)/100, (i+1)%100))
			})
			require.Equal(t, login == "vera", strings.Contains(told, "7 999 000-00-00"), login)
			s.close()
		}
	})
}

// A row that is shown changes in its place: each time it is told whole.
func TestCallsAreLive(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.declareNumbers("node", number.Declared{Digits: "74951234567"})
		s := d.signedIn("vera").follow("/calls", "")
		call := d.call(telephony.Event{Call: "1", Kind: telephony.Start, Called: "74951234567", Caller: "79123456789"})
		row := fmt.Sprintf(`<li id="call-%d">`, call.ID)
		require.Contains(t, s.until("Ringing").data, row)
		d.call(telephony.Event{Call: "1", Kind: telephony.Answer})
		require.Contains(t, s.until("Talking").data, row)
		d.call(telephony.Event{Call: "1", Kind: telephony.End, Status: telephony.Answered, Talk: 5})
		require.Contains(t, s.until("Answered 0:05").data, row)
	})
}

func TestListOfCallsGoesOn(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for i := range 60 {
			d.call(telephony.Event{Call: fmt.Sprint(i), Kind: telephony.Start, Called: "74951234567", At: d.now().Add(-time.Duration(i) * time.Second)})
		}
		b := d.signedIn("vera")
		first := b.get("/calls")
		require.Equal(t, 50, strings.Count(first.body, `<li id="call-`))
		_, rest, found := strings.Cut(first.body, `<p class="after"><a class="button" href="/calls?`)
		require.True(t, found)
		address, _, _ := strings.Cut(rest, `"`)
		older := b.get("/calls?" + strings.ReplaceAll(address, "&amp;", "&"))
		require.Equal(t, 10, strings.Count(older.body, `<li id="call-`))
		require.NotContains(t, older.body, "data-live")
	})
}

package console_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

func TestCallsAreNarrowedAndSummedUp(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		d.pass(-43*24*time.Hour - 5*time.Minute) // who signs in later does so now
		d.declareNumbers("node", number.Declared{Digits: "74951234567", Tracking: []string{"74957654321"}, Conditions: map[string]string{"74957654321": "utm_source=news"}})
		h := d.hit(visit.Arrival{URL: "https://shop.example/?utm_source=autumn"})
		require.NoError(t, d.Visits.AddInfo(t.Context(), d.shop.ID, h.Ref, visit.Info{Phone: "+7 912 345-67-89"}))
		ring := func(id, called, caller string, end telephony.Event) {
			t.Helper()
			d.call(telephony.Event{Call: id, Kind: telephony.Start, Called: called, Caller: caller})
			d.pass(time.Minute)
			end.Call, end.Kind, end.At = id, telephony.End, d.now()
			d.call(end)
		}
		answered := func(talk, wait int64) telephony.Event {
			return telephony.Event{Status: telephony.Answered, Talk: talk, Wait: wait}
		}
		missed := telephony.Event{Status: telephony.Missed, Talk: telephony.Untold, Wait: 20}
		ring("old", "74951234567", "79990000001", missed)
		d.pass(40 * 24 * time.Hour)
		ring("1", "74957654321", "79123456789", answered(60, 10))
		ring("2", "74957654321", "79123456789", answered(120, 30))
		ring("3", "74951234567", "79990000002", missed)
		d.pass(3 * 24 * time.Hour)
		ring("4", "74951234567", "79990000003", telephony.Event{Status: telephony.Busy, Talk: telephony.Untold, Wait: telephony.Untold})

		b := d.signedIn("vera")
		figures := func(query string, calls, lost, first int, wait, talk string) {
			t.Helper()
			body := b.get("/calls" + query).body
			require.Regexp(t, fmt.Sprintf(`(?s)Calls</dt><dd>%d<.*Missed</dt><dd[^>]*>%d<.*First-time callers</dt><dd>%d<.*Average wait</dt><dd>%s<.*Average talk</dt><dd>%s<`, calls, lost, first, wait, talk), body, query)
		}
		require.Contains(t, b.get("/calls").body, "In the last 30 days</p>")
		figures("", 4, 2, 3, "0:30", "1:30") // the last one rang until its end
		figures("?period=day", 1, 1, 1, "1:00", "–")
		figures("?period=week", 4, 2, 3, "0:30", "1:30")
		figures("?outcome=answered", 2, 0, 1, "0:20", "1:30")
		figures("?outcome=lost", 2, 2, 2, "0:40", "–")
		figures("?number=%2B7+495+765-43-21", 2, 0, 1, "0:20", "1:30")
		figures("?number=74951234567&outcome=answered", 2, 0, 1, "0:20", "1:30")
		figures("?number=765-43", 2, 0, 1, "0:20", "1:30")                // a part of the called number
		figures("?number=8+%28912%29+345-67-89", 2, 0, 1, "0:20", "1:30") // as it is dialled within the country
		figures("?number=000-0003", 1, 1, 1, "1:00", "–")
		require.Contains(t, b.get("/calls?number=abc").body, "A number has 1 to 20 digits")
		require.Equal(t, http.StatusUnprocessableEntity, b.get("/calls/export?number=abc").status)
		figures("?source=campaign", 2, 0, 1, "0:20", "1:30")
		figures("?confidence=none", 2, 2, 2, "0:40", "–")
		none := b.get("/calls?source=search").body
		require.Contains(t, none, "No matching calls")
		require.NotContains(t, none, `id="calls"`, "what is narrowed does not grow by itself")
		require.Contains(t, b.get("/calls").body, `id="calls"`)
		require.Contains(t, b.get("/calls?source=nothing&period=x&outcome=%27").body, `id="calls"`, "what is not known narrows nothing")
	})
}

package console_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// A call is worked on as a lead: an operator makes one of it, and the list of calls shows how far that has come.
func TestCallsAreWorkedOn(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.declareNumbers("node", number.Declared{Digits: "74951234567"})
		d.hasPlatform()
		call := d.call(telephony.Event{Call: "1", Kind: telephony.End, Status: telephony.Answered, Talk: 64, Wait: 8, Called: "74951234567", Caller: "79123456789",
			Recording: "https://pbx.example/1.mp3", Price: "1.50", Currency: "RUB"})
		stray := d.call(telephony.Event{Call: "2", Kind: telephony.End, Status: telephony.Missed, Called: "74990000000", Caller: "79123456789"})
		b := d.signedIn("vera")
		row := b.get("/calls").page(t).Find(fmt.Sprintf("#call-%d .work", call.ID))
		require.Equal(t, "Make a lead", row.Find("form").Text())
		back, _ := row.Find("a").Attr("href")
		require.Equal(t, fmt.Sprintf("/callbacks/new?site=%d&call=%d", d.shop.ID, call.ID), back)
		phone, _ := b.get(back).page(t).Find("[name=phone]").Attr("value")
		require.Equal(t, "+7 912 345-67-89", phone)
		require.Empty(t, b.get("/calls").page(t).Find(fmt.Sprintf("#call-%d .work", stray.ID)).Nodes, "it is for no site")
		require.Equal(t, http.StatusNotFound, b.post(fmt.Sprintf("/calls/%d/%d/lead", d.shop.ID, stray.ID)).status)

		live := b.follow("/calls", "")
		defer live.close()
		make := fmt.Sprintf("/calls/%d/%d/lead", d.shop.ID, call.ID)
		made := b.post(make)
		require.Equal(t, http.StatusSeeOther, made.status)
		page := b.get(made.header.Get("Location"))
		require.Contains(t, page.header.Get("Content-Security-Policy"), "media-src")
		require.Equal(t, "+7 912 345-67-89", page.page(t).Find("h1").Text())
		require.Contains(t, page.page(t).Find(".calls").Text(), "Answered 1:04")
		require.Equal(t, 1, page.page(t).Find(".calls audio").Length())
		require.NotContains(t, page.body, "No message")
		require.Equal(t, made.header.Get("Location"), b.post(make).header.Get("Location"))
		require.Len(t, b.listed(""), 1)

		of := lead.Key{SiteID: d.shop.ID}
		fmt.Sscanf(made.header.Get("Location"), fmt.Sprintf("/leads/%d/%%d", d.shop.ID), &of.ID)
		require.NoError(t, d.Leads.SetState(t.Context(), lead.By{ID: 1, Login: "vera"}, of, lead.Done))
		live.until(">Done</a>")
		require.Equal(t, "Done", b.get("/calls").page(t).Find(fmt.Sprintf("#call-%d .work .tag", call.ID)).Text())

		table, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.get("/calls/export").body, "\ufeff"))).ReadAll()
		require.NoError(t, err)
		require.Len(t, table, 3)
		at := func(row int, column string) string { return table[row][slices.Index(table[0], column)] }
		answered := slices.IndexFunc(table, func(cells []string) bool { return cells[0] == fmt.Sprint(call.ID) })
		require.Equal(t, []string{"79123456789", "74951234567", "Answered", "8", "64", "Done", "https://pbx.example/1.mp3", "1.50", "RUB", d.shop.Key}, []string{
			at(answered, "Caller"), at(answered, "Number called"), at(answered, "State"), at(answered, "Rang (seconds)"), at(answered, "Talk (seconds)"),
			at(answered, "Lead"), at(answered, "Recording"), at(answered, "Cost of the call"), at(answered, "Currency"), at(answered, "Site"),
		})
		require.Contains(t, b.get("/history").body, "calls, as a table")
		require.Len(t, b.get("/calls/export?format=xlsx").workbook(t), 3)
	})
}

// Who has connected no platform is told where it has to report calls.
func TestNoCallsYet(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		require.Equal(t, "https://"+d.shop.Key+"/frontdesk/calls/webhook", d.signedIn("vera").get("/calls").page(t).Find("#webhook").Text())
	})
}

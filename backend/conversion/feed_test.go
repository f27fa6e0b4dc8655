package conversion_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/person/persontest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// file is the file of the destination, its lines as cells.
func (w *world) file(e notify.Endpoint, name string) [][]string {
	w.t.Helper()
	var b bytes.Buffer
	require.NoError(w.t, w.WriteFile(w.t.Context(), &b, e, name))
	r := csv.NewReader(&b)
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	require.NoError(w.t, err)
	return lines
}

func (w *world) fetched(kind notify.Kind, names map[platform.Goal]string) (e notify.Endpoint, password string) {
	w.t.Helper()
	password, credential := conversion.NewPassword()
	return w.destination(kind, platform.Destination{Address: conversion.Login, Credential: credential, Settings: platform.Settings{Currency: "EUR", Names: names}}), password
}

func TestGoogleAdsFetchesConversions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		e, password := w.fetched(conversion.GoogleAds, map[platform.Goal]string{platform.Lead: "Lead", platform.Sale: "Sale"})
		require.True(t, conversion.MayFetch(e, "frontdesk", password))
		require.False(t, conversion.MayFetch(e, "frontdesk", password+"x"))
		require.False(t, conversion.MayFetch(e, "", ""))
		require.False(t, conversion.MayFetch(notify.Endpoint{Kind: conversion.GoogleAds}, "", ""))
		header := [][]string{{"Parameters:TimeZone=+0000"}, {"Google Click ID", "Conversion Name", "Conversion Time", "Conversion Value", "Conversion Currency", "Order ID"}}
		require.Equal(t, header, w.file(e, "conversions.csv"))

		h := w.view("order?gclid=Cj0KCQ-abc_1")
		l := w.lead(h)
		w.told(notify.LeadAdded, 1, "delivered")
		require.NoError(t, w.Leads.SetSale(t.Context(), w.by(), key(l), true, "1500.50"))
		sold := w.told(notify.SaleAdded, 1, "delivered")
		lines := w.file(e, "conversions.csv")
		require.Len(t, lines, 4)
		id := fmt.Sprintf("fd-%d-sale", sold.Entry)
		require.Equal(t, []string{"Cj0KCQ-abc_1", "Sale", sold.At.UTC().Format("2006-01-02 15:04:05"), "1500.5", "EUR", id}, lines[3])
		require.Len(t, w.file(e, "adjustments.csv"), 2)

		// Another amount is restated, under the same id.
		require.NoError(t, w.Leads.SetSale(t.Context(), w.by(), key(l), true, "1700"))
		w.told(notify.SaleAdded, 2, "delivered")
		lines = w.file(e, "adjustments.csv")
		require.Equal(t, [][]string{{"Parameters:TimeZone=+0000"}, {"Order ID", "Conversion Name", "Adjustment Time", "Adjustment Type", "Adjusted Value", "Adjusted Value Currency"}}, lines[:2])
		require.Equal(t, []string{id, "Sale", lines[2][2], "RESTATE", "1700", "EUR"}, lines[2])
		require.Equal(t, "1700", w.file(e, "conversions.csv")[3][3])

		// Spam is retracted, and so is what an erased person has done, of whom nothing else is left.
		require.NoError(t, w.Leads.SetState(t.Context(), w.by(), key(l), lead.Spam))
		w.told(notify.TakenBack, 1, "delivered")
		require.Equal(t, header, w.file(e, "conversions.csv"))
		lines = w.file(e, "adjustments.csv")
		require.Equal(t, []string{"RETRACT", "RETRACT"}, []string{lines[2][3], lines[3][3]})
		w.lead(w.view("order?gclid=EAIaIQ"), func(s *submission.Submission) { s.Email, s.Phone = "boris@example.com", "" })
		w.told(notify.LeadAdded, 2, "delivered")
		require.Len(t, w.file(e, "conversions.csv"), 3)
		persontest.Erase(t, w.db, "boris@example.com", w.visits.Traces(), w.Clients.Traces(), w.Conversions.Traces(), w.Leads.Traces())
		require.Equal(t, header, w.file(e, "conversions.csv"))
		require.Len(t, w.file(e, "adjustments.csv"), 5)

		// Who has not come by a click is not known to Google Ads. A click id that is none is none.
		w.lead(w.view("order"))
		require.Equal(t, "noID", w.told(notify.LeadAdded, 3, "dropped").Reason)
		w.lead(w.view("order?gclid=%3D1%2B1%2C%0A"))
		require.Equal(t, "noID", w.told(notify.LeadAdded, 4, "dropped").Reason)
		// After 90 days nothing is in the files any more.
		w.ahead.Store(int64(91 * 24 * time.Hour))
		require.Len(t, w.file(e, "adjustments.csv"), 2)
		w.ahead.Store(int64(101 * 24 * time.Hour))
		require.NoError(t, w.Prune(t.Context()))
		require.ErrorIs(t, w.WriteFile(t.Context(), new(bytes.Buffer), e, "calls.csv"), notify.ErrUnknown)
	})
}

func TestYandexMetricaTakesConversionsAndCalls(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		e, _ := w.fetched(conversion.Yandex, map[platform.Goal]string{platform.Lead: "lead", platform.Call: "call"})
		h := w.known("order?yclid=15000000000000000001", 7)
		w.lead(h)
		added := w.told(notify.LeadAdded, 1, "delivered")
		require.NoError(t, w.visits.AddInfo(t.Context(), w.shop, h.Ref, visit.Info{Phone: "+79123456789"}))
		w.call("c1", h)
		ended := w.told(notify.CallEnded, 1, "delivered")
		require.Equal(t, [][]string{
			{"ClientId", "Yclid", "Target", "DateTime", "Price", "Currency"},
			{"1700000000123456787", "15000000000000000001", "lead", fmt.Sprint(added.At.Unix()), "", ""},
		}, w.file(e, "conversions.csv"))
		require.Equal(t, [][]string{
			{"ClientId", "Yclid", "DateTime", "TalkDuration", "HoldDuration", "CallMissed", "FirstTimeCaller", "Tag"},
			{"1700000000123456787", "15000000000000000001", fmt.Sprint(ended.At.Unix()), "45", "5", "0", "1", "call"},
		}, w.file(e, "calls.csv"))
	})
}

func TestWhatIsWrongWithADestination(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		right := map[notify.Kind]platform.Destination{
			conversion.GA4:       {Address: "G-ABC1DEF2GH", Credential: "secret-of-google", Settings: platform.Settings{Names: map[platform.Goal]string{platform.Lead: "generate_lead"}}},
			conversion.Meta:      {Address: "1234567890", Credential: metaToken, Settings: platform.Settings{Names: map[platform.Goal]string{platform.Lead: "Lead"}}},
			conversion.Matomo:    {Address: "https://matomo.example/", Credential: matomoToken, Settings: platform.Settings{Site: "3", Names: map[platform.Goal]string{platform.Lead: "1"}}},
			conversion.GoogleAds: {Address: "frontdesk", Credential: strings.Repeat("0", 64), Settings: platform.Settings{Names: map[platform.Goal]string{platform.Lead: "Lead from the site"}}},
			conversion.Yandex:    {Address: "frontdesk", Credential: strings.Repeat("0", 64), Settings: platform.Settings{Names: map[platform.Goal]string{platform.Lead: "lead"}}},
		}
		field := func(kind notify.Kind, change func(*platform.Destination)) string {
			d := right[kind]
			change(&d)
			e, err := conversion.Endpoint(kind, d)
			require.NoError(t, err)
			err = w.Check(e)
			var invalid *notify.Invalid
			if err == nil {
				return ""
			}
			require.ErrorAs(t, err, &invalid)
			return invalid.Field
		}
		named := func(goal platform.Goal, name string) func(*platform.Destination) {
			return func(d *platform.Destination) { d.Names = map[platform.Goal]string{goal: name} }
		}
		for kind := range right {
			require.Empty(t, field(kind, func(*platform.Destination) {}), kind)
			require.Equal(t, "address", field(kind, func(d *platform.Destination) { d.Address = "<x>" }), kind)
			require.Equal(t, "credential", field(kind, func(d *platform.Destination) { d.Credential = "no" }), kind)
			require.Equal(t, "events", field(kind, func(d *platform.Destination) { d.Names = nil }), kind)
			require.Equal(t, "names", field(kind, named(platform.Lead, "=1+1")), kind)
			require.Equal(t, "names", field(kind, named(platform.Lead, strings.Repeat("9", 101))), kind)
			require.Equal(t, "currency", field(kind, func(d *platform.Destination) { d.Currency = "euro" }), kind)
		}
		require.Equal(t, "names", field(conversion.GA4, named(platform.Lead, "session_start")))
		require.Equal(t, "names", field(conversion.GA4, named(platform.Lead, "google_lead")))
		require.Equal(t, "currency", field(conversion.Meta, named(platform.Sale, "Purchase")))
		require.Equal(t, "names", field(conversion.Matomo, named(platform.Lead, "0")))
		require.Equal(t, "site", field(conversion.Matomo, func(d *platform.Destination) { d.Site = "" }))
		require.Equal(t, "kind", field("other", func(d *platform.Destination) { *d = right[conversion.GA4] }))
	})
}

package lead_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// refuse refuses a submission and writes it.
func (s *shop) refuse(address, sent string) {
	s.t.Helper()
	s.clock.Add(1)
	s.refusals.AddSoon(refused.Refusal{SiteID: site, Address: address, Origin: lead.Script, Code: "forged", Reason: "why", Region: "RU", Sent: json.RawMessage(sent)})
	require.NoError(s.t, s.refusals.Write(s.t.Context()))
}

// lost is how many of the site were not kept.
func (s *shop) lost(siteID int64) int {
	s.t.Helper()
	lost, err := s.refusals.Lost(s.t.Context(), scope.Of(siteID))
	require.NoError(s.t, err)
	return lost
}

// addRefused refuses a submission, which is written when it returns if there is room for it.
func (s *shop) addRefused(r refused.Refusal) (kept bool) {
	s.t.Helper()
	kept, err := s.refusals.Add(s.t.Context(), r)
	require.NoError(s.t, err)
	return kept
}

func (s *shop) refused(siteID int64) []refused.Refusal {
	s.t.Helper()
	sites := scope.Of(siteID)
	if siteID == 0 {
		sites = scope.All()
	}
	list, err := s.refusals.List(s.t.Context(), sites, lead.Cursor{}, 2000)
	require.NoError(s.t, err)
	return list
}

func TestRefusedAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		// The very same is kept once and counted.
		s.refuse("192.0.2.2", `{"name":"Ann"}`)
		s.refuse("192.0.2.2", `{"name":"Ann"}`)
		s.refuse("192.0.2.3", `{"name":"Ann"}`)
		list := s.refused(site)
		require.Len(t, list, 2)
		require.Equal(t, 2, list[1].Times)
		require.Equal(t, time.UnixMilli(s.clock.Load()-1), list[1].At)

		// What is long is cut, and what is no object is text.
		s.refuse("192.0.2.2", `{"message":"`+strings.Repeat("я", 100_000)+`","phone":"112"}`)
		list = s.refused(site)
		require.LessOrEqual(t, len(list[0].Sent), 16<<10)
		require.Contains(t, string(list[0].Sent), `"phone":"112"`)
		s.refuse("192.0.2.2", `{"csrf_token":"x","password":["x"],"name":["Ann"]}`)
		require.JSONEq(t, `{"name":["Ann"]}`, string(s.refused(site)[0].Sent))
		s.refuse("192.0.2.2", "name=Ann\x00\xff")
		require.JSONEq(t, `{"body":"name=Ann"}`, string(s.refused(site)[0].Sent))

		s.clock.Add(int64(refused.Memory / time.Millisecond))
		s.refuse("192.0.2.9", `{"name":"late"}`)
		_, err := s.refusals.Prune(t.Context())
		require.NoError(t, err)
		require.Len(t, s.refused(0), 1, "the others are older than that")
	})
}

// A network has room for so many bytes on a day, and so has a site. What finds no room is counted.
func TestRefusedFindRoomByTheirBytes(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		text, n := strings.Repeat("x", 15<<10), 0
		fills := func(network string, most int) (kept int) {
			t.Helper()
			lost := s.lost(site)
			for ; s.lost(site) == lost; kept++ {
				require.LessOrEqual(t, kept*len(text), most)
				n++
				added := s.addRefused(refused.Refusal{SiteID: site, Network: network, Code: "form_failed", Sent: fmt.Appendf(nil, `{"message":"%d %s"}`, n, text)})
				require.Equal(t, s.lost(site) == lost, added)
			}
			return kept - 1
		}
		of := fills("a", refused.MaxOfNetwork)
		require.Greater(t, of*16<<10, refused.MaxOfNetwork*9/10)
		require.Len(t, s.refused(site), of, "and not one by one")
		for s.lost(site) < 20 { // of ever new networks, until the site has no room either
			n++
			fills(fmt.Sprint(n), refused.MaxOfNetwork)
		}
		kept := len(s.refused(site))
		require.Less(t, kept*len(text), refused.Max)
		require.Greater(t, kept*16<<10, refused.Max*9/10)
		require.True(t, s.addRefused(refused.Refusal{SiteID: site + 1, Network: "a", Sent: json.RawMessage(`{}`)}))
		require.Zero(t, s.lost(site+1), "another site has room of its own")

		s.clock.Add(int64(24 * time.Hour / time.Millisecond))
		lost := s.lost(site)
		require.True(t, s.addRefused(refused.Refusal{SiteID: site, Network: "a", Sent: json.RawMessage(`{}`)}))
		require.Len(t, s.refused(site), kept+1, "the next day there is room again")
		require.Equal(t, lost, s.lost(site))
		s.clock.Add(int64((refused.Memory + 24*time.Hour) / time.Millisecond))
		_, err := s.refusals.Prune(t.Context())
		require.NoError(t, err)
		require.Zero(t, s.lost(site))
	})
}

// A form that has waited may be handed over once more after a restart. Then its sender is hidden by another name.
func TestRefusedAgainAfterARestart(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		r := refused.Refusal{SiteID: 1, Origin: lead.Form, At: time.Now(), Code: "form_nobody", Sent: []byte(`{"name":"Anna"}`)}
		for _, address := range []string{"visitor a", "visitor b"} {
			r.Address = address
			require.True(t, s.addRefused(r))
		}
		require.Len(t, s.refused(1), 1)
		r.At, r.Address = r.At.Add(time.Second), "visitor a"
		require.True(t, s.addRefused(r))
		require.Len(t, s.refused(1), 1, "the very same of the same sender is counted")
		r.At, r.Address = r.At.Add(time.Second), "visitor c"
		require.True(t, s.addRefused(r))
		require.Len(t, s.refused(1), 2)
	})
}

// However many come at once, what waits and what is written at once is bounded.
func TestRefusedWaitInBounds(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		for i := range 5000 {
			s.refusals.AddSoon(refused.Refusal{SiteID: site, Address: "192.0.2.1", Sent: json.RawMessage(fmt.Sprint(i))})
			s.refusals.AddSoon(refused.Refusal{SiteID: site, Address: fmt.Sprint("2001:db8::", i), Sent: json.RawMessage(`{}`)})
		}
		require.NoError(t, s.refusals.Write(t.Context()))
		require.Len(t, s.refused(site), 64)
		for range 100 {
			require.NoError(t, s.refusals.Write(t.Context()))
		}
		list := s.refused(site)
		require.Len(t, list, 512)
		of, newest := 0, false
		for _, r := range list {
			if r.Address == "192.0.2.1" {
				of++
				newest = newest || string(r.Sent) == `{"body":"4999"}`
			}
		}
		require.Equal(t, 16, of)
		require.True(t, newest)
		require.Equal(t, 10_000-512, s.lost(site))
	})
}

// What cannot be written now is written later, and at the end what still waits.
func TestRefusedOutliveAnOutage(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		s.refusals.AddSoon(refused.Refusal{SiteID: site, Address: "192.0.2.1", Sent: json.RawMessage(`{"name":"Ann"}`)})
		require.Error(t, s.refusals.Write(gone))
		require.Empty(t, s.refused(site))
		s.refusals.Run(gone, zap.NewNop())
		require.Len(t, s.refused(site), 1)
	})
}

func TestTakeOver(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := s.visit()
		s.refusals.AddSoon(refused.Refusal{SiteID: site, Ref: ref, Origin: lead.Server, Code: "sale_cost_without_sale", Region: "RU", URL: "https://shop.example/lamps",
			Sent: refused.FormSent(url.Values{"phone": {"8 (495) 123-45-67"}, "text": {"A lamp"}, "sale_cost": {"500"}, "user_fields[city]": {"Oslo"}, "visitor_id": {"7"}, "key": {"k"}})})
		require.NoError(t, s.refusals.Write(t.Context()))
		r := s.refused(site)[0]
		l, err := s.refusals.TakeOver(t.Context(), site, r.ID)
		require.NoError(t, err)
		require.Equal(t, ref, l.Ref)
		require.Equal(t, lead.Server, l.Origin)
		require.Equal(t, "74951234567", l.PhoneDigits)
		require.Equal(t, "A lamp", l.Message)
		require.Equal(t, "https://shop.example/lamps", l.URL)
		require.Equal(t, "news", l.Source.Source)
		require.Equal(t, map[string]string{"city": "Oslo", "sale_cost": "500"}, l.UserFields)
		require.False(t, l.IsSale)

		again, err := s.refusals.TakeOver(t.Context(), site, r.ID)
		require.NoError(t, err)
		require.Equal(t, l, again)
		require.Len(t, s.all(), 1)
		require.Equal(t, l.ID, s.refused(site)[0].LeadID)
		require.NoError(t, s.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM lead_requests`)
			return err
		}))
		again, err = s.refusals.TakeOver(t.Context(), site, r.ID)
		require.NoError(t, err)
		require.Equal(t, l, again, "even when the request is forgotten")

		s.refuse("192.0.2.1", `{"name":"-"}`)
		_, err = s.refusals.TakeOver(t.Context(), site, s.refused(site)[0].ID)
		require.ErrorAs(t, err, new(submission.Invalid))
		_, err = s.refusals.TakeOver(t.Context(), site+1, r.ID)
		require.ErrorIs(t, err, refused.ErrUnknown)
		require.Len(t, s.all(), 1)
	})
}

// A lead that has been erased was delivered all the same.
func TestErasedLeadIsAcknowledgedAgain(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		sub := submission.Submission{SiteID: site, Ref: s.visit(), CallID: "call", Name: "Ann"}
		first, _ := s.add(sub)
		require.NoError(t, s.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM leads`)
			return err
		}))
		again, repeated := s.add(sub)
		require.True(t, repeated)
		require.Equal(t, first.ID, again.ID)
		require.Empty(t, again.Name)
		require.Empty(t, s.all())
	})
}

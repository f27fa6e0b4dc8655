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
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// refuse refuses a submission and writes it.
func (s *shop) refuse(address, sent string) {
	s.t.Helper()
	s.clock.Add(1)
	s.leads.Refuse(lead.Refused{SiteID: site, Address: address, Origin: lead.Script, Code: "forged", Reason: "why", Region: "RU", Sent: json.RawMessage(sent)})
	require.NoError(s.t, s.leads.WriteRefused(s.t.Context()))
}

func (s *shop) refused(siteID int64) []lead.Refused {
	s.t.Helper()
	sites := scope.Of(siteID)
	if siteID == 0 {
		sites = scope.All()
	}
	list, err := s.leads.ListRefused(s.t.Context(), sites, lead.Cursor{}, 2*lead.MaxRefused)
	require.NoError(s.t, err)
	return list
}

func TestRefusedAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		for i := range lead.MaxRefusedOfAddress + 5 {
			s.refuse("192.0.2.1", fmt.Sprintf(`{"name":"Ann %d"}`, i))
		}
		list := s.refused(site)
		require.Len(t, list, lead.MaxRefusedOfAddress)
		require.JSONEq(t, fmt.Sprintf(`{"name":"Ann %d"}`, lead.MaxRefusedOfAddress+4), string(list[0].Sent), "the newest first")
		require.JSONEq(t, `{"name":"Ann 5"}`, string(list[len(list)-1].Sent), "the oldest gave way")

		// The very same is kept once and counted.
		s.refuse("192.0.2.2", `{"name":"Ann"}`)
		s.refuse("192.0.2.2", `{"name":"Ann"}`)
		s.refuse("192.0.2.3", `{"name":"Ann"}`)
		list = s.refused(site)
		require.Len(t, list, lead.MaxRefusedOfAddress+2)
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

		for i := range lead.MaxRefused {
			s.leads.Refuse(lead.Refused{SiteID: site + 1, Address: fmt.Sprint("192.0.3.", i), Code: "forged", Sent: json.RawMessage(`{}`)})
			if i%32 == 31 {
				require.NoError(t, s.leads.WriteRefused(t.Context()))
			}
		}
		require.NoError(t, s.leads.WriteRefused(t.Context()))
		s.leads.Refuse(lead.Refused{SiteID: site + 1, Address: "192.0.2.1", Code: "empty", Sent: json.RawMessage(`{}`)})
		require.NoError(t, s.leads.WriteRefused(t.Context()))
		require.Len(t, s.refused(site+1), lead.MaxRefused)
		require.Len(t, s.refused(0), lead.MaxRefused+len(s.refused(site)), "no other site gave way")

		s.clock.Add(int64(lead.RefusedMemory / time.Millisecond))
		s.refuse("192.0.2.9", `{"name":"late"}`)
		_, err := s.leads.PruneRefused(t.Context())
		require.NoError(t, err)
		require.Len(t, s.refused(0), 1, "the others are older than that")
	})
}

// However many come at once, what waits and what is written at once is bounded.
func TestRefusedWaitInBounds(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		for i := range 5000 {
			s.leads.Refuse(lead.Refused{SiteID: site, Address: "192.0.2.1", Sent: json.RawMessage(fmt.Sprint(i))})
			s.leads.Refuse(lead.Refused{SiteID: site, Address: fmt.Sprint("2001:db8::", i), Sent: json.RawMessage(`{}`)})
		}
		require.NoError(t, s.leads.WriteRefused(t.Context()))
		require.Len(t, s.refused(site), 64)
		for range 100 {
			require.NoError(t, s.leads.WriteRefused(t.Context()))
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
	})
}

// What cannot be written now is written later, and at the end what still waits.
func TestRefusedOutliveAnOutage(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		s.leads.Refuse(lead.Refused{SiteID: site, Address: "192.0.2.1", Sent: json.RawMessage(`{"name":"Ann"}`)})
		require.Error(t, s.leads.WriteRefused(gone))
		require.Empty(t, s.refused(site))
		s.leads.KeepRefused(gone, zap.NewNop())
		require.Len(t, s.refused(site), 1)
	})
}

func TestTakeOver(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := s.visit()
		s.leads.Refuse(lead.Refused{SiteID: site, Ref: ref, Origin: lead.Server, Code: "sale_cost_without_sale", Region: "RU", URL: "https://shop.example/lamps",
			Sent: lead.FormSent(url.Values{"phone": {"8 (495) 123-45-67"}, "text": {"A lamp"}, "sale_cost": {"500"}, "user_fields[city]": {"Oslo"}, "visitor_id": {"7"}, "key": {"k"}})})
		require.NoError(t, s.leads.WriteRefused(t.Context()))
		r := s.refused(site)[0]
		l, err := s.leads.TakeOver(t.Context(), site, r.ID)
		require.NoError(t, err)
		require.Equal(t, ref, l.Ref)
		require.Equal(t, lead.Server, l.Origin)
		require.Equal(t, "74951234567", l.PhoneDigits)
		require.Equal(t, "A lamp", l.Message)
		require.Equal(t, "https://shop.example/lamps", l.URL)
		require.Equal(t, "news", l.Source.Source)
		require.Equal(t, map[string]string{"city": "Oslo", "sale_cost": "500"}, l.UserFields)
		require.False(t, l.IsSale)

		again, err := s.leads.TakeOver(t.Context(), site, r.ID)
		require.NoError(t, err)
		require.Equal(t, l, again)
		require.Len(t, s.all(), 1)
		require.Equal(t, l.ID, s.refused(site)[0].LeadID)
		require.NoError(t, s.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM lead_deliveries`)
			return err
		}))
		again, err = s.leads.TakeOver(t.Context(), site, r.ID)
		require.NoError(t, err)
		require.Equal(t, l, again, "even when the delivery is forgotten")

		s.refuse("192.0.2.1", `{"name":"-"}`)
		_, err = s.leads.TakeOver(t.Context(), site, s.refused(site)[0].ID)
		require.ErrorAs(t, err, new(lead.Invalid))
		_, err = s.leads.TakeOver(t.Context(), site+1, r.ID)
		require.ErrorIs(t, err, lead.ErrUnknownRefused)
		require.Len(t, s.all(), 1)
	})
}

// A lead that has been erased was delivered all the same.
func TestErasedLeadIsAcknowledgedAgain(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		sub := lead.Submission{SiteID: site, Ref: s.visit(), CallID: "call", Name: "Ann"}
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

package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
)

// Above the quota of a visitor or a site texts are cut, until the day is over. Leads are kept, with their contacts.
func TestQuota(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		site := siteOf(variantB)
		site.Quota = quota.Quota{Visitor: 100_000, Site: 280_000}
		s := serve(t, d, site)
		s.clock.Store(int64(time.Until(time.Now().UTC().Truncate(24 * time.Hour).Add(36 * time.Hour)))) // noon: no day ends meanwhile
		long := strings.Repeat("ö", 25_000)
		n := 0
		request := func(v visitor, fields object) answer {
			n++
			fields["name"], fields["phone"], fields["email"] = "Ann", fmt.Sprintf("+7495123%04d", n), strings.Repeat("a", 900)+"@mail.example"
			a := s.script("lead", object{"credentials": v.credentials(), "id": id(), "request": fields})
			require.Equal(t, true, a.body["success"], a.raw)
			return a
		}
		cut := func() bool {
			l := s.stored()[0]
			require.Equal(t, fmt.Sprintf("+7495123%04d", n), l.Phone)
			require.Len(t, l.Email, 900+len("@mail.example"))
			text := l.Message + l.UserFields["note"]
			begun, short := strings.CutSuffix(text, " […]")
			require.True(t, strings.HasPrefix(long, begun))
			if !short {
				return false
			}
			require.Less(t, len(l.Message)+len(fmt.Sprint(l.UserFields)), 1100)
			return true
		}
		ann := s.visit()
		request(ann, object{"message": long})
		require.False(t, cut())
		request(ann, object{"message": long[:47_000]})
		require.False(t, cut())
		require.Contains(t, request(ann, object{"message": long}).raw, "over_quota", "with what is known of the visitor by then")
		require.True(t, cut())
		fields := object{"note": long}
		for i := range 150 {
			fields[fmt.Sprint("other", i)] = strings.Repeat("x", 300)
		}
		require.Contains(t, request(ann, object{"user_fields": object{"note": long}}).raw, "over_quota")
		require.True(t, cut())
		request(ann, object{"user_fields": fields})
		require.Less(t, len(fmt.Sprint(s.stored()[0].UserFields)), 2500, "in all")
		form := ann.form(variantB, "name", "Ann", "phone", "+74951239999", "text", long)
		first := s.server("api/add_offline_message/", form)
		require.Contains(t, first.raw, "over_quota")
		leads := len(s.stored())
		require.Equal(t, true, s.server("api/add_offline_message/", form).body["success"])
		require.Len(t, s.stored(), leads, "the same is one lead, cut or not")

		// What is short is stored whole, and so is what others send.
		s.says(ann, "Hello")
		s.says(ann, strings.Repeat("ж", 1000))
		messages, err := s.chats.Told(t.Context(), siteID, s.of(ann).ID, 0, chat.MaxMessages)
		require.NoError(t, err)
		require.Equal(t, "Hello", messages[0].Text)
		require.Equal(t, strings.Repeat("ж", 200)+" […]", messages[1].Text)
		kept := s.script("property", object{"credentials": ann.credentials(), "id": id(), "name": "p", "value": strings.Repeat("v", 2000)})
		require.Len(t, kept.body["value"], 160)
		require.Equal(t, true, s.script("event", object{"credentials": ann.credentials(), "id": id(), "category": "c", "action": strings.Repeat("a", 500), "name": strings.Repeat("n", 500), "value": strings.Repeat("v", 500)}).body["success"])
		card, err := s.visits.Card(t.Context(), siteID, ann.ref().Visitor)
		require.NoError(t, err)
		require.Len(t, card.Visits[0].Events[0].Name, 160)
		for range 3 {
			request(s.visit(), object{"message": long})
			require.False(t, cut())
		}
		request(s.visit(), object{"message": long})
		require.True(t, cut(), "by the quota of the site")
		for full := false; !full; full = cut() {
			request(s.visit(), object{"message": long[:1500]})
		}
		view := viewOf("https://shop.example/?q=" + strings.Repeat("q", 2000))
		view["title"] = strings.Repeat("t", 500)
		seen := s.open(view, "").ref()
		viewed, _, err := s.visits.Viewed(t.Context(), siteID, seen)
		require.NoError(t, err)
		require.Len(t, viewed.URL, 512)

		s.clock.Add(int64(24 * time.Hour))
		request(ann, object{"message": long})
		require.False(t, cut(), "on the next day")
		s.clock.Add(int64(48 * time.Hour))
		require.NoError(t, s.visits.Texts.Prune(t.Context()))
		left, _, err := db.One(t.Context(), d.Read(), db.Only[int64], `SELECT COUNT(*) FROM stored_texts`)
		require.NoError(t, err)
		require.Zero(t, left)
	})
}

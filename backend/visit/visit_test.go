package visit_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
	"github.com/seed-3405227d/frontdesk/backend/visit/place"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const site, chrome = visittest.Site, visittest.Chrome

func TestVisitGoesOnUntilAPauseOrANewCampaign(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		first := v.See(t, 0, "https://shop.example/")
		require.True(t, first.NewVisitor)
		require.True(t, first.NewVisit)
		require.Equal(t, c.Now(), first.At)

		for _, step := range []struct {
			after    time.Duration
			url      string
			newVisit bool
		}{
			{30 * time.Minute, "https://shop.example/lamps", false},
			{30*time.Minute + time.Millisecond, "https://shop.example/", true},
			{time.Minute, "https://shop.example/?utm_source=news", true},
			{time.Minute, "https://shop.example/?utm_source=news", false},
			{time.Minute, "https://shop.example/lamps", false},
			{time.Minute, "https://shop.example/?utm_source=news&utm_campaign=spring", true},
			{time.Minute, "https://shop.example/?gclid=abc", true},
			{time.Minute, "https://shop.example/?gclid=abc", false},
			{time.Minute, "https://shop.example/?ref=friend", false},
		} {
			c.Pass(step.after)
			view := v.See(t, first.Visitor, step.url)
			require.False(t, view.NewVisitor)
			require.Equal(t, first.Visitor, view.Visitor)
			require.Equal(t, step.newVisit, view.NewVisit, step.url)
			require.Equal(t, step.newVisit, view.Visit != first.Visit, step.url)
			first.Visit = view.Visit
		}
	})
}

func TestVisitKeepsThePlaceOfItsFirstView(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		keys, err := key.Open(t.Context(), d, time.Now)
		require.NoError(t, err)
		v, err := visit.Open(t.Context(), visit.Subjects{DB: d, Keys: keys, Texts: quota.New(d, keys, time.Now), Days: days.New(d), Where: func(of netip.Addr) place.Place {
			if of == netip.MustParseAddr("192.0.2.1") {
				return place.Place{Country: "DE", Area: "Bavaria", City: "Munich"}
			}
			return place.Place{}
		}}, time.Now)
		require.NoError(t, err)
		for i, view := range []visit.Arrival{
			{Client: netip.MustParseAddr("192.0.2.1")}, {Client: netip.MustParseAddr("192.0.2.2")}, {},
		} {
			view.Nonce, view.URL, view.Kind = fmt.Sprint("place", i), "https://shop.example/", "load"
			first, err := v.Arrive(t.Context(), site, 0, view)
			require.NoError(t, err)
			view.Nonce, view.Client = view.Nonce+"again", netip.MustParseAddr("192.0.2.1")
			later, err := v.Arrive(t.Context(), site, first.Visitor, view)
			require.NoError(t, err)
			require.Equal(t, first.Visit, later.Visit)
		}
		places, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT country || ' ' || area || ' ' || city FROM visits ORDER BY id`)
		require.NoError(t, err)
		require.Equal(t, []string{"DE Bavaria Munich", "  ", "  "}, places)
	})
}

func TestViewReportedTwiceIsOneView(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		first := v.See(t, 0, "https://shop.example/")
		view := visit.Arrival{Nonce: "again", URL: "https://shop.example/lamps", Kind: "load", UserAgent: chrome}
		once := v.Report(t, first.Visitor, view)
		c.Pass(time.Minute)
		again := v.Report(t, first.Visitor, view)
		require.Equal(t, once.Ref, again.Ref)
		require.Equal(t, once.At, again.At)
		card, err := v.Card(t.Context(), site, first.Visitor)
		require.NoError(t, err)
		require.Equal(t, 2, card.Visits[0].Views)
		require.Len(t, card.Visits[0].Pages, 2)
	})
}

// Many page views of one visitor at once, on two nodes, make one visit, and all are counted. The same view on both
// nodes is one view.
func TestOneVisitorOnManyNodes(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		other := visittest.Open(t, d, c.Now)
		first := v.See(t, 0, "https://shop.example/")
		var wait sync.WaitGroup
		for i := range 60 {
			node := []*visittest.Rooms{v, other}[i%2]
			wait.Go(func() {
				arrival := visit.Arrival{Nonce: fmt.Sprint("many ", i), URL: fmt.Sprint("https://shop.example/", i), Kind: "load", UserAgent: chrome}
				view, err := node.Arrive(context.Background(), site, first.Visitor, arrival)
				assert.NoError(t, err)
				assert.Equal(t, first.Visit, view.Visit)
			})
		}
		wait.Wait()
		card, err := v.Card(t.Context(), site, first.Visitor)
		require.NoError(t, err)
		require.Len(t, card.Visits, 1)
		require.Equal(t, 61, card.Visits[0].Views)
		require.Len(t, card.Visits[0].Pages, 61)
	})
}

func TestVisitorOfAnotherSiteIsANewOne(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, _ *visittest.Clock, _ *db.DB) {
		first := v.See(t, 0, "https://shop.example/")
		elsewhere, err := v.Arrive(t.Context(), site+1, first.Visitor, visit.Arrival{Nonce: "n", URL: "https://other.example/", Kind: "load"})
		require.NoError(t, err)
		require.True(t, elsewhere.NewVisitor)
		require.NotEqual(t, first.Visitor, elsewhere.Visitor)
	})
}

func TestIdsThatDoNotBelongTogether(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		mine := v.See(t, 0, "https://shop.example/").Ref
		yours := v.See(t, 0, "https://shop.example/").Ref
		belongs := func(siteID int64, ref visit.Ref) bool {
			viewed, known, err := v.Viewed(t.Context(), siteID, ref)
			require.NoError(t, err)
			require.Equal(t, known, viewed.URL == "https://shop.example/")
			return known
		}
		require.True(t, belongs(site, mine))
		require.False(t, belongs(site+1, mine))
		for _, ref := range []visit.Ref{
			{Visitor: yours.Visitor, Visit: mine.Visit, View: mine.View}, {Visitor: mine.Visitor, Visit: yours.Visit, View: mine.View},
			{Visitor: mine.Visitor, Visit: mine.Visit, View: yours.View}, {}, {Visitor: -1, Visit: -1, View: -1},
			{Visitor: mine.Visitor + 1, Visit: mine.Visit, View: mine.View}, {Visitor: 1 << 60, Visit: 1 << 60, View: 1 << 60},
		} {
			require.False(t, belongs(site, ref), "%v", ref)
		}
		found, known, err := v.Find(t.Context(), site, mine.Visitor, mine.View)
		require.NoError(t, err)
		require.True(t, known)
		require.Equal(t, mine, found)
		_, known, err = v.Find(t.Context(), site, yours.Visitor, mine.View)
		require.NoError(t, err)
		require.False(t, known)
	})
}

func TestBotsAreNotLive(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		person := v.See(t, 0, "https://shop.example/?utm_source=news")
		v.Report(t, 0, visit.Arrival{Nonce: "bot", URL: "https://shop.example/", Kind: "load", UserAgent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"})
		require.NoError(t, v.AddInfo(t.Context(), site, person.Ref, visit.Info{Name: "Ada", Email: "ada@example.com"}))
		c.Pass(time.Minute)
		last := v.See(t, person.Visitor, "https://shop.example/lamps")

		found, err := v.Onsite.Live(t.Context(), scope.Of(site))
		require.NoError(t, err)
		live := found.Visits
		require.Len(t, live, 1)
		require.Equal(t, last.Ref, live[0].Ref)
		require.Equal(t, "https://shop.example/lamps", live[0].URL)
		require.Equal(t, 2, live[0].Views)
		require.Len(t, live[0].Path, 2)
		require.Equal(t, "https://shop.example/?utm_source=news", live[0].Path[0].URL)
		require.Equal(t, "news", live[0].Source.Source)
		require.Equal(t, "Ada", live[0].Name)
		require.Equal(t, "ada@example.com", live[0].Email)

		c.Pass(onsite.LiveFor + time.Millisecond)
		found, err = v.Onsite.Live(t.Context(), scope.Of(site))
		require.NoError(t, err)
		require.Empty(t, found.Visits)
	})
}

func TestEventDeliveredTwiceIsOne(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, _ *visittest.Clock, _ *db.DB) {
		view := v.See(t, 0, "https://shop.example/")
		event := visit.UserEvent{Category: "files", Action: "download", Name: "lamps.pdf", Value: "3"}
		for range 2 {
			require.NoError(t, v.TrackEvent(t.Context(), site, view.Ref, "call", event))
		}
		card, err := v.Card(t.Context(), site, view.Visitor)
		require.NoError(t, err)
		require.Len(t, card.Visits[0].Events, 1)
		require.Equal(t, event, card.Visits[0].Events[0].UserEvent)
		require.Equal(t, view.View, card.Visits[0].Events[0].View)
	})
}

func TestProperties(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, _ *visittest.Clock, _ *db.DB) {
		view := v.See(t, 0, "https://shop.example/")
		value := "gold"
		require.NoError(t, v.SetProperty(t.Context(), site, view.Ref, "plan", &value))
		require.NoError(t, v.SetProperty(t.Context(), site, view.Ref, "plan", &value))
		require.NoError(t, v.SetProperty(t.Context(), site, view.Ref, "seen", nil))
		require.NoError(t, v.SetProperty(t.Context(), site, view.Ref, "gone", nil))
		require.NoError(t, v.DeleteProperty(t.Context(), site, view.Ref, "gone"))
		require.NoError(t, v.DeleteProperty(t.Context(), site, view.Ref, "never was"))
		properties, err := v.Properties(t.Context(), site, view.Visitor)
		require.NoError(t, err)
		require.Equal(t, map[string]*string{"plan": &value, "seen": nil}, properties)

		var wait sync.WaitGroup
		for i := range 250 {
			wait.Go(func() {
				if err := v.SetProperty(context.Background(), site, view.Ref, fmt.Sprint(i), nil); err != nil {
					assert.ErrorIs(t, err, visit.ErrTooMany)
				}
			})
		}
		wait.Wait()
		properties, err = v.Properties(t.Context(), site, view.Visitor)
		require.NoError(t, err)
		require.Len(t, properties, visit.MaxProperties)
		value = "silver"
		require.NoError(t, v.SetProperty(t.Context(), site, view.Ref, "plan", &value))
	})
}

func TestContactsAreUniqueAndTheNameIsReplaced(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		view := v.See(t, 0, "https://shop.example/")
		require.ErrorIs(t, v.AddInfo(t.Context(), site, view.Ref, visit.Info{Name: " "}), visit.ErrNothing)
		for _, info := range []visit.Info{
			{Name: "Ada", Email: "Ada@Example.com", Phone: "8 (495) 123-45-67", Region: "RU"},
			{Name: "Ada L.", Email: " Ada@example.COM ", Phone: "+74951234567"},
			{Email: "ada@other.example", Phone: "000"},
		} {
			c.Pass(time.Second)
			require.NoError(t, v.AddInfo(t.Context(), site, view.Ref, info))
		}
		card, err := v.Card(t.Context(), site, view.Visitor)
		require.NoError(t, err)
		require.Equal(t, "Ada L.", card.Name)
		require.Equal(t, []string{"ada@other.example", "Ada@example.com"}, values(card.Emails))
		require.Equal(t, []string{"?000", "74951234567"}, values(card.Phones))
		require.Equal(t, "8 (495) 123-45-67", card.Phones[1].Written)
	})
}

func values(contacts []contact.Contact) []string {
	var all []string
	for _, c := range contacts {
		all = append(all, c.Value)
	}
	return all
}

func TestUnknownVisitorHasNoCard(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, _ *visittest.Clock, _ *db.DB) {
		_, err := v.Card(t.Context(), site, 12345)
		require.ErrorIs(t, err, visit.ErrUnknown)
	})
}

// Two writings of one number are one contact. Without the site's country, the same digits are no number, of that
// country or any other.
func TestPhonesHaveTheCountryOfTheSite(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		phones := func(region string, written ...string) []contact.Contact {
			view := v.See(t, 0, "https://shop.example/")
			for _, w := range written {
				c.Pass(time.Second)
				require.NoError(t, v.AddInfo(t.Context(), site, view.Ref, visit.Info{Phone: w, Region: region}))
			}
			card, err := v.Card(t.Context(), site, view.Visitor)
			require.NoError(t, err)
			return card.Phones
		}
		one := phones("RU", "8 (495) 000-01-77", "+7 495 000 01 77", "84950000177")
		require.Len(t, one, 1)
		require.Equal(t, contact.Phone{Digits: "74950000177"}, one[0].Phone())
		require.Equal(t, "8 (495) 000-01-77", one[0].Written)

		unknown := phones("", "8 (495) 000-01-77", "84950000177", "+84 950 000 177")
		require.Len(t, unknown, 2)
		require.Equal(t, contact.Phone{Digits: "84950000177"}, unknown[0].Phone())
		require.Equal(t, contact.Phone{}, unknown[1].Phone())
		require.Equal(t, "8 (495) 000-01-77", unknown[1].Written)

		extended := phones("RU", "8 (495) 000-01-77 доб. 3456", "+74950000177 ext. 3456", "+74950000177")
		require.Len(t, extended, 2)
		require.Equal(t, contact.Phone{Digits: "74950000177", Extension: "3456"}, extended[1].Phone())
	})
}

package visit_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// sent is a page view that is stored when its page is sent.
func sent(nonce string) visit.Arrival {
	return visit.Arrival{Nonce: nonce, URL: "https://shop.example/" + nonce, Kind: "load", UserAgent: chrome}
}

// told is the report of the script in that page.
func told(nonce, served string) visit.Arrival {
	view := load(nonce)
	view.URL, view.Served = "https://shop.example/"+served, served
	return view
}

// pages returns the titles of the visitor's page views, the latest first.
func pages(t *testing.T, v *visittest.Rooms, visitor visit.ID) (titles []string) {
	t.Helper()
	card, err := v.Card(t.Context(), site, visitor)
	require.NoError(t, err)
	for _, stay := range card.Visits {
		for _, page := range stay.Pages {
			titles = append(titles, page.Title)
		}
		require.Len(t, stay.Pages, stay.Views)
	}
	return titles
}

// A visit is one without scripts until the script of one of its pages has reported.
func TestVisitsWithoutScriptsAreKnown(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, _ *visittest.Clock, d *db.DB) {
		page := func(nonce string) visit.Arrival {
			view := sent(nonce)
			view.Unscripted = true
			return view
		}
		scripted := func(of visit.View) bool {
			is, _, err := db.One(t.Context(), d.Read(), db.Only[bool], `SELECT scripted FROM visits WHERE id = $1`, v.Keys.Row(of.Ref).Visit)
			require.NoError(t, err)
			return is
		}
		first := v.Report(t, 0, page("a"))
		v.Report(t, first.Visitor, page("b"))
		require.False(t, scripted(first))
		v.Report(t, first.Visitor, told("script b", "b"))
		v.Report(t, first.Visitor, page("c"))
		require.True(t, scripted(first))

		second := v.Report(t, 0, page("d"))
		v.See(t, second.Visitor, "https://shop.example/from-a-cache")
		require.True(t, scripted(second))
		require.True(t, scripted(v.See(t, 0, "https://shop.example/")))
	})
}

func TestReportTakesOverTheViewThatWasSentWithThePage(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		first := v.Report(t, 0, sent("a"))
		require.True(t, first.NewVisitor)
		c.Pass(time.Second)
		for _, visitor := range []visit.ID{first.Visitor, first.Visitor, 0} {
			again := v.Report(t, visitor, told("script a", "a"))
			require.Equal(t, visit.View{Ref: first.Ref, At: first.At, URL: first.URL, Repeated: true}, again)
		}
		c.Pass(time.Minute)
		second := v.Report(t, first.Visitor, sent("b"))
		require.False(t, second.NewVisit)
		require.Equal(t, second.Ref, v.Report(t, first.Visitor, told("script b", "b")).Ref)
		require.Equal(t, []string{"script b", "script a"}, pages(t, v, first.Visitor))

		days, err := v.Days.Of(t.Context(), site, c.Now().Add(-48*time.Hour), c.Now().Add(48*time.Hour))
		require.NoError(t, err)
		require.Len(t, days, 1)
		require.EqualValues(t, 2, days[0].Views)
	})
}

// Some browsers send no cookies. For a while, their visitors are recognised by the nonce of the page.
func TestReportWithoutACookieTakesOverTheView(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		first := v.Report(t, 0, sent("a"))
		c.Pass(10 * time.Minute)
		for range 2 {
			require.Equal(t, first.Ref, v.Report(t, 0, told("script", "a")).Ref)
		}
		late := v.Report(t, 0, sent("late"))
		c.Pass(20 * time.Minute)
		require.NotEqual(t, late.Visitor, v.Report(t, 0, told("script late", "late")).Visitor)
	})
}

// A cached page has been reported already. Its next report is a view of its own, by the same visitor or by another.
func TestPageFromACacheIsAViewOfItsOwn(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		first := v.Report(t, 0, sent("a"))
		require.Equal(t, first.Ref, v.Report(t, first.Visitor, told("one", "a")).Ref)
		again := v.Report(t, first.Visitor, told("two", "a"))
		require.NotEqual(t, first.View, again.View)
		require.Equal(t, first.Visit, again.Visit)
		require.Equal(t, again.Ref, v.Report(t, first.Visitor, told("two", "a")).Ref)
		require.Equal(t, []string{"two", "one"}, pages(t, v, first.Visitor))

		stranger := v.Report(t, 0, told("three", "a"))
		require.True(t, stranger.NewVisitor)
		require.Equal(t, stranger.Ref, v.Report(t, 0, told("three", "a")).Ref, "a report that is repeated")
		require.False(t, stranger.Marked)
	})
}

// The nonce of one visitor's page has no effect for another visitor who is known.
func TestKnownVisitorTakesOverNobodyElsesView(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		mine, yours := v.Report(t, 0, sent("mine")), v.Report(t, 0, sent("yours"))
		other := v.Report(t, yours.Visitor, told("script", "mine"))
		require.Equal(t, yours.Visitor, other.Visitor)
		require.NotEqual(t, mine.View, other.View)
		require.False(t, other.Repeated)
		require.Equal(t, mine.Ref, v.Report(t, mine.Visitor, told("own script", "mine")).Ref)
	})
}

// A view that was not stored in time, or only on a node that is gone, is stored by the report.
func TestReportOfAViewThatWasNotStored(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		first := v.Report(t, 0, told("script", "never stored"))
		require.True(t, first.NewVisitor)
		require.Equal(t, first.Ref, v.Report(t, 0, told("script", "never stored")).Ref)
		second := v.Report(t, first.Visitor, told("script 2", "never stored either"))
		require.False(t, second.Repeated)
		require.Equal(t, first.Visit, second.Visit)
	})
}

// The source is that of the requested address, since scripts of a site may remove it. Servers see no fragments.
func TestAddressOfAViewThatIsTakenOver(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		for served, cases := range map[string]map[string]string{
			"https://shop.example/?utm_source=news": {"https://shop.example/": "https://shop.example/?utm_source=news"},
			"https://shop.example/app":              {"https://shop.example/app#/basket": "https://shop.example/app#/basket", "https://shop.example/application": "https://shop.example/app"},
		} {
			for reported, want := range cases {
				view := sent(fmt.Sprint("view of ", reported))
				view.URL = served
				first := v.Report(t, 0, view)
				v.Report(t, first.Visitor, visit.Arrival{Nonce: "script " + view.Nonce, Served: view.Nonce, URL: reported, Kind: "load", UserAgent: chrome})
				viewed, known, err := v.Viewed(t.Context(), site, first.Ref)
				require.NoError(t, err)
				require.True(t, known)
				require.Equal(t, want, viewed.URL)
			}
		}
	})
}

// Many visitors report the same page at the same time on two nodes. One of them takes the view over.
func TestOneOfManyTakesAViewOver(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		other := visittest.Open(t, d, c.Now)
		first := v.Report(t, 0, sent("a"))
		for name, visitor := range map[string]visit.ID{"with the cookie": first.Visitor, "without": 0} {
			served := v.Report(t, visitor, sent(name))
			views := make([]visit.View, 20)
			var wait sync.WaitGroup
			for i := range views {
				node := []*visittest.Rooms{v, other}[i%2]
				wait.Go(func() {
					var err error
					views[i], err = node.Arrive(context.Background(), site, visitor, told(fmt.Sprint(name, i), name))
					assert.NoError(t, err)
				})
			}
			wait.Wait()
			took := 0
			for _, view := range views {
				if view.View == served.View {
					took++
				}
				require.Equal(t, view.View == served.View, view.Repeated)
			}
			require.Equal(t, 1, took, name)
		}
	})
}

func TestStrangerBecomesANewVisitor(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, _ *visittest.Clock, _ *db.DB) {
		one, err := v.Keys.StrangerString(t.Context(), site)
		require.NoError(t, err)
		stranger, valid := v.Keys.ParseVisitorString(site, one)
		require.True(t, valid)
		view := v.Report(t, stranger, load("a"))
		require.True(t, view.NewVisitor)
		require.NotEqual(t, stranger, view.Visitor)
	})
}

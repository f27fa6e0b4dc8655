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
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func load(nonce string) visit.Arrival {
	return visit.Arrival{Nonce: nonce, URL: "https://shop.example/" + nonce, Title: nonce, Kind: "load", UserAgent: chrome}
}

// If a visitor leaves a page before its view is answered, the page has no cookie when it reports the view again.
func TestFirstViewReportedTwiceIsOneVisitor(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		for _, apart := range []time.Duration{0, time.Second, 10 * time.Minute} {
			nonce := "first " + apart.String()
			first := v.Report(t, 0, load(nonce))
			require.True(t, first.NewVisitor)
			c.Pass(apart)
			again := v.Report(t, 0, load(nonce))
			require.Equal(t, visit.View{Ref: first.Ref, At: first.At, URL: first.URL, Repeated: true}, again)
			again = v.Report(t, first.Visitor, load(nonce))
			require.Equal(t, visit.View{Ref: first.Ref, At: first.At, URL: first.URL, Repeated: true}, again)
		}
		require.NotEqual(t, v.Report(t, 0, load("")).Visitor, v.Report(t, 0, load("")).Visitor)
		elsewhere, err := v.Arrive(t.Context(), site+1, 0, load("first 0s"))
		require.NoError(t, err)
		require.True(t, elsewhere.NewVisitor)
	})
}

// A page reports its view again after seven later pages of the visitor have reported theirs.
func TestViewThatIsNotTheLatestIsRecognised(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		visitor := v.See(t, 0, "https://shop.example/").Visitor
		var tabs []visit.View
		for i := range 8 {
			tabs = append(tabs, v.Report(t, visitor, load(fmt.Sprint("tab ", i))))
			c.Pass(time.Second)
		}
		for i, tab := range tabs {
			require.Equal(t, visit.View{Ref: tab.Ref, At: tab.At, URL: tab.URL, Repeated: true}, v.Report(t, visitor, load(fmt.Sprint("tab ", i))))
		}
		card, err := v.Card(t.Context(), site, visitor)
		require.NoError(t, err)
		require.Equal(t, 9, card.Visits[0].Views)
		require.Len(t, card.Visits[0].Pages, 9)
	})
}

// A visitor without a cookie reports the same views on two nodes at the same time.
func TestOneArrivalOnManyNodes(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		other := visittest.Open(t, d, c.Now)
		views := make([]visit.View, 40)
		var wait sync.WaitGroup
		for i := range views {
			node := []*visittest.Rooms{v, other}[i%2]
			wait.Go(func() {
				var err error
				views[i], err = node.Arrive(context.Background(), site, 0, load("arrival"))
				assert.NoError(t, err)
			})
		}
		wait.Wait()
		began := 0
		for _, view := range views {
			require.Equal(t, views[0].Ref, view.Ref)
			if view.NewVisitor {
				began++
			}
		}
		require.Equal(t, 1, began)
	})
}

// After a pause, views of a visitor on two nodes begin one visit. A view that both nodes receive is one view.
func TestOneReturnOnManyNodes(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		other := visittest.Open(t, d, c.Now)
		visitor := v.See(t, 0, "https://shop.example/").Visitor
		c.Pass(time.Hour)
		var wait sync.WaitGroup
		for i := range 12 {
			node := []*visittest.Rooms{v, other}[i%2]
			wait.Go(func() {
				_, err := node.Arrive(context.Background(), site, visitor, load(fmt.Sprint("return ", i/4)))
				assert.NoError(t, err)
			})
		}
		wait.Wait()
		card, err := v.Card(t.Context(), site, visitor)
		require.NoError(t, err)
		require.Len(t, card.Visits, 2)
		require.Equal(t, 3, card.Visits[0].Views)
		require.Len(t, card.Visits[0].Pages, 3)
	})
}

// Nodes number views from blocks of their own. The pages of a visit are still in the order of their views.
func TestPagesAreInOrderWhicheverNodeSawThem(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		other := visittest.Open(t, d, c.Now)
		visitor := other.Report(t, 0, load("0")).Visitor
		for i := 1; i < 12; i++ {
			c.Pass(time.Second)
			last := []*visittest.Rooms{v, other}[i%2].Report(t, visitor, load(fmt.Sprint(i)))
			there, err := v.Onsite.Live(t.Context(), scope.Of(site))
			require.NoError(t, err)
			live := there.Visits
			require.Len(t, live, 1)
			require.Equal(t, last.Ref, live[0].Ref)
			require.Equal(t, fmt.Sprint(i), live[0].Title)
			path := live[0].Path
			require.Len(t, path, min(i+1, 8))
			for j, page := range path {
				require.Equal(t, fmt.Sprint(i-len(path)+1+j), page.Title)
			}
			found, known, err := v.Find(t.Context(), site, visitor, last.View)
			require.NoError(t, err)
			require.True(t, known)
			require.Equal(t, last.Ref, found)
		}
		card, err := v.Card(t.Context(), site, visitor)
		require.NoError(t, err)
		require.Equal(t, "11", card.Visits[0].Pages[0].Title)
		require.Equal(t, "0", card.Visits[0].Pages[11].Title)
		require.Equal(t, c.Now(), card.LastAt)
	})
}

func TestEventKeepsTheVisitFromEnding(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		first := v.See(t, 0, "https://shop.example/film")
		for range 3 {
			c.Pass(20 * time.Minute)
			require.NoError(t, v.TrackEvent(t.Context(), site, first.Ref, "", visit.UserEvent{Category: "film", Action: "goes on"}))
		}
		c.Pass(20 * time.Minute)
		require.Equal(t, first.Visit, v.See(t, first.Visitor, "https://shop.example/").Visit)
		card, err := v.Card(t.Context(), site, first.Visitor)
		require.NoError(t, err)
		require.Len(t, card.Visits[0].Events, 3)
	})
}

// Moving within an open page is no return, whatever the address still holds.
func TestOnlyAnArrivalBringsACampaign(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, _ *visittest.Clock, _ *db.DB) {
		first := v.See(t, 0, "https://shop.example/")
		for _, kind := range []string{"history", "restore", "load"} {
			view := v.Report(t, first.Visitor, visit.Arrival{Nonce: kind, Kind: kind, URL: "https://shop.example/?utm_source=news", UserAgent: chrome})
			require.Equal(t, kind == "load", view.NewVisit, kind)
		}
	})
}

func TestClickIDsBringVisitorsBack(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, _ *visittest.Clock, _ *db.DB) {
		first := v.See(t, 0, "https://shop.example/?gclid=1")
		for _, step := range []struct {
			query  string
			begins bool
		}{{"gclid=1", false}, {"ysclid=1", false}, {"gclid=2", true}, {"fbclid=1", true}, {"fbclid=1", false}, {"", false}, {"gclid=2", true}} {
			require.Equal(t, step.begins, v.See(t, first.Visitor, "https://shop.example/?"+step.query).NewVisit, step.query)
		}
	})
}

func TestNothingIsStoredForIdsThatDoNotBelongTogether(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, _ *visittest.Clock, d *db.DB) {
		mine, yours := v.See(t, 0, "https://shop.example/").Ref, v.See(t, 0, "https://shop.example/").Ref
		ctx := t.Context()
		for _, ref := range []visit.Ref{
			{Visitor: yours.Visitor, Visit: mine.Visit, View: mine.View}, {Visitor: mine.Visitor, Visit: yours.Visit, View: mine.View},
			{Visitor: mine.Visitor, Visit: mine.Visit, View: yours.View}, {},
		} {
			require.ErrorIs(t, v.TrackEvent(ctx, site, ref, "call", visit.UserEvent{Category: "c", Action: "a"}), visit.ErrForeign)
			require.ErrorIs(t, v.SetProperty(ctx, site, ref, "p", nil), visit.ErrForeign)
			require.ErrorIs(t, v.DeleteProperty(ctx, site, ref, "p"), visit.ErrForeign)
			require.ErrorIs(t, v.AddInfo(ctx, site, ref, visit.Info{Name: "Ada"}), visit.ErrForeign)
		}
		require.ErrorIs(t, v.SetProperty(ctx, site+1, mine, "p", nil), visit.ErrForeign)
		for _, visitor := range []visit.ID{mine.Visitor, yours.Visitor} {
			card, err := v.Card(ctx, site, visitor)
			require.NoError(t, err)
			require.Empty(t, card.Name)
			require.Empty(t, card.Properties)
			require.Empty(t, card.Visits[0].Events)
		}
		info, err := visit.Info{Email: "ada@example.com"}.Read()
		require.NoError(t, err)
		require.NoError(t, d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			return v.AddInfoTx(ctx, tx, site, visit.Ref{Visitor: 12345}, info)
		}))
		var stored int
		require.NoError(t, d.Read().QueryRowContext(ctx, `SELECT COUNT(*) FROM contacts`).Scan(&stored))
		require.Zero(t, stored)
	})
}

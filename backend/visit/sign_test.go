package visit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestVisitorStringIsTheSitesOwn(t *testing.T) {
	each(t, func(t *testing.T, v *visit.Visits, c *clock, d *db.DB) {
		s := v.VisitorString(site, 4503)
		other, err := visit.Open(t.Context(), d, c.now)
		require.NoError(t, err)
		visitor, valid := other.ParseVisitorString(site, s)
		require.True(t, valid, "made on another node")
		require.Equal(t, visit.ID(4503), visitor)
		_, signature, _ := strings.Cut(s, ".")
		for _, forged := range []string{
			"", ".", "4503", "4503.", "." + signature, "4504." + signature, "04503." + signature, "+4503." + signature, " " + s, s + " ", s + "A", s[:len(s)-1],
			"-4503." + signature, "4503.0." + signature,
		} {
			_, valid := v.ParseVisitorString(site, forged)
			require.False(t, valid, forged)
		}
		_, valid = v.ParseVisitorString(site+1, s)
		require.False(t, valid)
	})
}

func TestKeySignsEverything(t *testing.T) {
	v, _ := open(t, dbtest.Open(t, dbtest.SQLite(t)))
	ref := visit.Ref{Visitor: 1, Visit: 2, View: 3}
	key := v.Sign(site, "https://shop.example/", ref)
	require.Regexp(t, `^[A-Za-z0-9_-]{22}$`, key)
	require.True(t, v.Verify(site, "https://shop.example/", ref, key))
	require.False(t, v.Verify(site+1, "https://shop.example/", ref, key))
	require.False(t, v.Verify(site, "https://shop.example/x", ref, key))
	require.False(t, v.Verify(site, "https://shop.example/", ref, ""))
	for _, other := range []visit.Ref{{Visitor: 4, Visit: 2, View: 3}, {Visitor: 1, Visit: 4, View: 3}, {Visitor: 1, Visit: 2, View: 4}, {Visitor: 2, Visit: 1, View: 3}} {
		require.False(t, v.Verify(site, "https://shop.example/", other, key))
	}
}

func FuzzParseVisitorString(f *testing.F) {
	v, err := visit.Open(f.Context(), dbtest.Open(f, dbtest.SQLite(f)), (&clock{}).now)
	require.NoError(f, err)
	good := v.VisitorString(site, 4503)
	for _, seed := range []string{good, "", ".", "1.", "4503", good + good, "9223372036854775808.x", "\x00.\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var visitor visit.ID
		var valid bool
		stepstest.Hold(t, len(s), func() { visitor, valid = v.ParseVisitorString(site, s) })
		require.Equal(t, valid, visitor != 0)
		if valid {
			require.Equal(t, v.VisitorString(site, visitor), s)
		}
	})
}

// No other token is valid than those that were given.
func FuzzToken(f *testing.F) {
	d, err := db.Open(f.Context(), dbtest.SQLite(f), zap.NewNop())
	require.NoError(f, err)
	defer d.Close()
	require.NoError(f, d.Migrate(f.Context()))
	now := time.Now()
	v, err := visit.Open(f.Context(), d, func() time.Time { return now })
	require.NoError(f, err)
	ref := visit.Ref{Visitor: 1, Visit: 2, View: 1<<53 - 1}
	given, browser := v.Token(7, ref, "line", time.Minute), v.BrowserString(7, 1, time.Minute)
	f.Add(given)
	f.Add(browser)
	f.Add(v.Token(8, ref, "line", time.Minute))
	f.Add(v.Token(7, ref, "file 1", time.Minute))
	f.Add(v.Token(7, ref, "line", -time.Minute))
	f.Add(v.BrowserString(8, 1, time.Minute))
	f.Add(v.BrowserString(7, 1, -time.Minute))
	f.Add("1.2.3.zzzzzz." + given[len(given)-22:])
	f.Add("1.zzzzzz." + browser[len(browser)-22:])
	f.Fuzz(func(t *testing.T, token string) {
		var got visit.Ref
		var valid bool
		stepstest.Hold(t, len(token), func() { got, valid = v.ParseToken(7, token, "line") })
		require.Equal(t, token == given, valid, "%q", token)
		if valid {
			require.Equal(t, ref, got)
		}
		visitor, valid := v.ParseBrowserString(7, token)
		require.Equal(t, token == browser, valid, "%q", token)
		if valid {
			require.Equal(t, ref.Visitor, visitor)
		}
	})
}

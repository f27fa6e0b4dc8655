package key_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestVisitorStringIsTheSitesOwn(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		s := v.Keys.VisitorString(site, 4503)
		other := visittest.Open(t, d, c.Now)
		visitor, valid := other.Keys.ParseVisitorString(site, s)
		require.True(t, valid, "made on another node")
		require.Equal(t, key.ID(4503), visitor)
		_, signature, _ := strings.Cut(s, ".")
		for _, forged := range []string{
			"", ".", "4503", "4503.", "." + signature, "4504." + signature, "04503." + signature, "+4503." + signature, " " + s, s + " ", s + "A", s[:len(s)-1],
			"-4503." + signature, "4503.0." + signature,
		} {
			_, valid := v.Keys.ParseVisitorString(site, forged)
			require.False(t, valid, forged)
		}
		_, valid = v.Keys.ParseVisitorString(site+1, s)
		require.False(t, valid)
	})
}

func TestKeySignsEverything(t *testing.T) {
	v := visittest.Open(t, dbtest.Open(t, dbtest.SQLite(t)), time.Now)
	ref := key.Ref{Visitor: 1, Visit: 2, View: 3}
	signed := v.Keys.Sign(site, "https://shop.example/", ref)
	require.Regexp(t, `^[A-Za-z0-9_-]{22}$`, signed)
	require.True(t, v.Keys.Verify(site, "https://shop.example/", ref, signed))
	require.False(t, v.Keys.Verify(site+1, "https://shop.example/", ref, signed))
	require.False(t, v.Keys.Verify(site, "https://shop.example/x", ref, signed))
	require.False(t, v.Keys.Verify(site, "https://shop.example/", ref, ""))
	for _, other := range []key.Ref{{Visitor: 4, Visit: 2, View: 3}, {Visitor: 1, Visit: 4, View: 3}, {Visitor: 1, Visit: 2, View: 4}, {Visitor: 2, Visit: 1, View: 3}} {
		require.False(t, v.Keys.Verify(site, "https://shop.example/", other, signed))
	}
}

func FuzzParseVisitorString(f *testing.F) {
	v := visittest.Open(f, dbtest.Open(f, dbtest.SQLite(f)), time.Now)
	good := v.Keys.VisitorString(site, 4503)
	for _, seed := range []string{good, "", ".", "1.", "4503", good + good, "9223372036854775808.x", "\x00.\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var visitor key.ID
		var valid bool
		stepstest.Hold(t, len(s), func() { visitor, valid = v.Keys.ParseVisitorString(site, s) })
		require.Equal(t, valid, visitor != 0)
		if valid {
			require.Equal(t, v.Keys.VisitorString(site, visitor), s)
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
	v := visittest.Open(f, d, func() time.Time { return now })
	ref := key.Ref{Visitor: 1, Visit: 2, View: 1<<53 - 1}
	const userAgent = "Mozilla/5.0"
	given, browser, crossing := v.Keys.Token(7, ref, "line", time.Minute), v.Keys.BrowserString(7, 1, time.Minute), v.Keys.CrossingString(7, 1, userAgent, time.Minute)
	f.Add(given)
	f.Add(browser)
	f.Add(crossing)
	f.Add(v.Keys.CrossingString(8, 1, userAgent, time.Minute))
	f.Add(v.Keys.CrossingString(7, 1, "Mozilla/6.0", time.Minute))
	f.Add(v.Keys.CrossingString(7, 1, userAgent, -time.Minute))
	conversation := v.Keys.ConversationToken(7, 1, "back", time.Minute)
	f.Add(conversation)
	f.Add(v.Keys.ConversationToken(7, 1, "stop", time.Minute))
	f.Add(v.Keys.ConversationToken(8, 1, "back", time.Minute))
	f.Add(v.Keys.ConversationToken(7, 1, "back", -time.Minute))
	f.Add(v.Keys.Token(8, ref, "line", time.Minute))
	f.Add(v.Keys.Token(7, ref, "file 1", time.Minute))
	f.Add(v.Keys.Token(7, ref, "line", -time.Minute))
	f.Add(v.Keys.BrowserString(8, 1, time.Minute))
	f.Add(v.Keys.BrowserString(7, 1, -time.Minute))
	f.Add("1.2.3.zzzzzz." + given[len(given)-22:])
	f.Add("1.zzzzzz." + browser[len(browser)-22:])
	f.Fuzz(func(t *testing.T, token string) {
		var got key.Ref
		var valid bool
		stepstest.Hold(t, len(token), func() { got, valid = v.Keys.ParseToken(7, token, "line") })
		require.Equal(t, token == given, valid, "%q", token)
		if valid {
			require.Equal(t, ref, got)
		}
		visitor, valid := v.Keys.ParseBrowserString(7, token)
		require.Equal(t, token == browser, valid, "%q", token)
		if valid {
			require.Equal(t, ref.Visitor, visitor)
		}
		visitor, until, valid := v.Keys.ParseCrossingString(7, token, userAgent)
		require.Equal(t, token == crossing, valid, "%q", token)
		if valid {
			require.Equal(t, ref.Visitor, visitor)
			require.Equal(t, now.Add(time.Minute).Unix(), until)
		}
		id, valid := v.Keys.ParseConversationToken(7, token, "back")
		require.Equal(t, token == conversation, valid, "%q", token)
		require.Equal(t, valid, id == 1)
	})
}

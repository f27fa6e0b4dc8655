package effect

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestEffectsAreBounded(t *testing.T) {
	settings := Settings{}
	require.NoError(t, settings.Complete())
	b, err := (&Shared{Pictures: new(Pictures), Hosts: func(string) []string { return nil }}).Effects(settings)
	require.NoError(t, err)
	for i := range maxEffects + 2 {
		s := site.Site{Key: fmt.Sprint("shop", i)}
		made, err := b.For(s, true)
		require.NoError(t, err)
		again, err := b.For(s, true)
		require.NoError(t, err)
		require.Same(t, made, again)
	}
	require.Equal(t, maxEffects, b.known.Len())
}

// The region that is set comes first, then that of the configured numbers, then that of the numbers on the pages. The
// mask comes last.
func TestRegionOfTheSite(t *testing.T) {
	d, err := db.Open(t.Context(), dbtest.SQLite(t), zap.NewNop())
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	require.NoError(t, d.Migrate(t.Context()))
	shown := inventory.New(d, time.Now)
	require.NoError(t, shown.Learn(t.Context(), 1, "/", map[string][]inventory.Writing{"442079460018": {{Text: "+442079460018", Place: "tel", Count: 1}}}))
	of := func(id int64, configured Settings, own site.Settings) string {
		require.NoError(t, configured.Complete())
		b, err := (&Shared{Pictures: new(Pictures), Hosts: func(string) []string { return nil }}).Effects(configured)
		require.NoError(t, err)
		f, err := b.compile(site.Site{ID: id, Key: "shop", Settings: own}, nil)
		require.NoError(t, err)
		return (&Request{Effect: f}).Served(&backend.Desk{Numbers: shown}, nil).Region(t.Context())
	}
	numbers := []number.Number{{Number: "74951234567"}}
	german, american := "DE", "US"
	require.Equal(t, "US", of(1, Settings{Region: "de", PhoneMask: "+33 ###", Numbers: numbers}, site.Settings{Region: &american}))
	require.Equal(t, "DE", of(1, Settings{Region: "de", PhoneMask: "+33 ###", Numbers: numbers}, site.Settings{}))
	require.Equal(t, "DE", of(1, Settings{PhoneMask: "+33 ###", Numbers: numbers}, site.Settings{Region: &german}))
	require.Equal(t, "RU", of(1, Settings{PhoneMask: "+33 ###", Numbers: numbers}, site.Settings{}))
	require.Equal(t, "GB", of(1, Settings{PhoneMask: "+33 ###"}, site.Settings{}))
	require.Equal(t, "FR", of(2, Settings{PhoneMask: "+33 ###"}, site.Settings{}), "no page has been seen")
	require.Empty(t, of(2, Settings{}, site.Settings{}))
}

// BenchmarkChoosing measures the cost of a request before its page.
func BenchmarkChoosing(b *testing.B) {
	settings := Settings{Prerender: "static", Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{
		{Static: "74957650001", When: []string{"utm_source=news*"}}, {Static: "74957650002", When: []string{"referrer=*.google.*"}},
	}}}}
	require.NoError(b, settings.Complete())
	block, err := new(Shared).Effects(settings)
	require.NoError(b, err)
	news := source.Source{Kind: source.Campaign, Source: "news"}
	remembered := "svc_src=" + (&attribution.Remembered{Source: news, Seen: time.Now()}).Cookie()
	for _, c := range []struct{ name, path, referrer, cookie string }{
		{"direct", "/lamps", "", ""},
		{"within", "/lamps", "https://shop.example/", ""},
		{"within with other cookies", "/lamps", "https://shop.example/", "theme=dark; session=0123456789abcdef"},
		{"remembered", "/lamps", "https://shop.example/", remembered},
		{"referrer", "/lamps", "https://www.google.com/", ""},
		{"campaign", "/?utm_source=news", "", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, "https://shop.example"+c.path, nil)
			for name, value := range map[string]string{"Referer": c.referrer, "Cookie": c.cookie, "Accept": "text/html,*/*;q=0.8", "Sec-Fetch-Dest": "document"} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			q := &Request{Key: "shop", URL: r.URL}
			b.ReportAllocs()
			for b.Loop() {
				block.Defaults.Visit(r, q, time.Unix(1_700_000_000, 0))
			}
		})
	}
}

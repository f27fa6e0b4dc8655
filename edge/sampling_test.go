package edge

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

func TestPagesAreLookedAtNowAndThen(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	l := newSampling(nil, func() time.Time { return now })
	require.True(t, l.due("shop", "/", now))
	require.False(t, l.due("shop", "/", now))
	require.True(t, l.due("other", "/", now))
	now = now.Add(lookEvery - 1)
	require.False(t, l.due("shop", "/", now))
	now = now.Add(1)
	require.True(t, l.due("shop", "/", now))

	// Of many pages a few are sampled, and some more as time goes by.
	now = now.Add(time.Minute)
	looks := func() (n int) {
		for i := range 1000 {
			if l.due("shop", fmt.Sprint("/", i), now) {
				n++
			}
		}
		return n
	}
	require.Equal(t, looksAtOnce, looks())
	require.Zero(t, looks())
	now = now.Add(2 * time.Second)
	require.Equal(t, 2*looksASecond, looks())
}

// If nobody looks at the samples, only as many are kept as the queue holds.
func TestPagesThatWaitAreBounded(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	l := newSampling(nil, func() time.Time { return now })
	b := new(Block)
	ask := func(i int) func([]byte, string) {
		now = now.Add(time.Minute)
		r := httptest.NewRequest(http.MethodGet, fmt.Sprint("/", i, "?secret=1"), nil)
		return l.sampler(b, r, &Request{Key: "shop", URL: r.URL}, page.Unsaid, now)
	}
	early := ask(0)
	for i := range looksWaiting {
		sampler := ask(i + 1)
		require.NotNil(t, sampler)
		sampler([]byte("page"), "text/html")
	}
	require.Nil(t, ask(looksWaiting+1))
	early([]byte("page"), "text/html") // is dropped, and does not block
	require.Len(t, l.queue, looksWaiting)
	require.Equal(t, "/1", (<-l.queue).path)
	ask(looksWaiting+2)(nil, "text/html")
	require.Len(t, l.queue, looksWaiting-1, "an empty page says nothing")
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
		b, err := (&Edge{Pictures: new(Pictures)}).Add(configured)
		require.NoError(t, err)
		f, err := b.compile(site.Site{ID: id, Key: "shop", Settings: own})
		require.NoError(t, err)
		return (&Request{effect: f}).served(&backend.Desk{Numbers: shown}, nil).Region(t.Context())
	}
	numbers := []Number{{Number: "74951234567"}}
	german, american := "DE", "US"
	require.Equal(t, "US", of(1, Settings{Region: "de", PhoneMask: "+33 ###", Numbers: numbers}, site.Settings{Region: &american}))
	require.Equal(t, "DE", of(1, Settings{Region: "de", PhoneMask: "+33 ###", Numbers: numbers}, site.Settings{}))
	require.Equal(t, "DE", of(1, Settings{PhoneMask: "+33 ###", Numbers: numbers}, site.Settings{Region: &german}))
	require.Equal(t, "RU", of(1, Settings{PhoneMask: "+33 ###", Numbers: numbers}, site.Settings{}))
	require.Equal(t, "GB", of(1, Settings{PhoneMask: "+33 ###"}, site.Settings{}))
	require.Equal(t, "FR", of(2, Settings{PhoneMask: "+33 ###"}, site.Settings{}), "no page has been seen")
	require.Empty(t, of(2, Settings{}, site.Settings{}))
}

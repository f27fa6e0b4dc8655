package edge

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/edge/effect"
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
	b := new(effect.Effects)
	ask := func(i int) func([]byte, string, bool) {
		now = now.Add(time.Minute)
		r := httptest.NewRequest(http.MethodGet, fmt.Sprint("/", i, "?secret=1"), nil)
		return l.sampler(b, r, &effect.Request{Key: "shop", URL: r.URL}, page.Unsaid, now)
	}
	early := ask(0)
	for i := range looksWaiting {
		sampler := ask(i + 1)
		require.NotNil(t, sampler)
		sampler([]byte("page"), "text/html", true)
	}
	require.Nil(t, ask(looksWaiting+1))
	early([]byte("page"), "text/html", true) // is dropped, and does not block
	require.Len(t, l.queue, looksWaiting)
	require.Equal(t, "/1", (<-l.queue).path)
	ask(looksWaiting+2)(nil, "text/html", true)
	require.Len(t, l.queue, looksWaiting-1, "an empty page says nothing")
}

package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestPresence(t *testing.T) {
	each(t, func(t *testing.T, s *desk, _ string) {
		here := func() int {
			live, err := s.visits.Onsite.Live(t.Context(), scope.Of(siteID))
			require.NoError(t, err)
			return len(live.Visits)
		}
		b, stranger := s.visit(), s.visit()
		require.Equal(t, 2, here())
		foreign := b.credentials()
		foreign["hit_id"] = stranger.credentials()["hit_id"]
		for name, sent := range map[string]object{
			"no word":          {"credentials": b.credentials()},
			"another word":     {"credentials": b.credentials(), "presence": "asleep"},
			"nobody's":         {"presence": "left"},
			"of another's hit": {"credentials": foreign, "presence": "left"},
		} {
			refused := s.script("presence", sent)
			require.NotEqual(t, http.StatusOK, refused.status, name)
		}
		require.Equal(t, true, s.script("presence", object{"credentials": b.credentials(), "presence": "left"}).body["success"])
		s.clock.Add(int64(6 * time.Second))
		require.Eventually(t, func() bool { return here() == 1 }, time.Minute, 20*time.Millisecond)

		// The page was left before its view was answered.
		view := viewOf("https://shop.example/early")
		require.Equal(t, true, s.script("presence", object{"hit": view, "presence": "left"}).body["success"])
		require.Equal(t, 2, here())
		s.clock.Add(int64(6 * time.Second))
		require.Eventually(t, func() bool { return here() == 1 }, time.Minute, 20*time.Millisecond)
	})
}

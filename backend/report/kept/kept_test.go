package kept_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/report/kept"
)

// What was dear is given again, for a while, and what was not is not.
func TestDearAnswersAreGivenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answers kept.Answers[int]
		held := func(question string) bool {
			_, found := answers.Of(question)
			return found
		}
		answers.Keep("soon", 1, 100*time.Millisecond)
		require.False(t, held("soon"))
		answers.Keep("dear", 2, time.Second)
		answers.Keep("dearest", 3, time.Minute)
		is, found := answers.Of("dear")
		require.True(t, found)
		require.Equal(t, 2, is)
		time.Sleep(21 * time.Second)
		require.False(t, held("dear"))
		require.True(t, held("dearest"))
		time.Sleep(100 * time.Second)
		require.False(t, held("dearest"), "two minutes at most")
		for n := range 17 {
			answers.Keep(fmt.Sprint(n), n, time.Second+time.Duration(n))
		}
		require.False(t, held("0"), "there are 16 at most")
		require.True(t, held("1"))
		require.True(t, held("16"))
	})
}

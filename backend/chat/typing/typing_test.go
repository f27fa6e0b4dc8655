package typing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// Topics come from other nodes, of whatever version.
func FuzzTyping(f *testing.F) {
	f.Add("chat.typing 1 2 3 0")
	f.Add("chat.typing 1 2 3 9223372036854775808")
	f.Add("chat.typing     ")
	f.Fuzz(func(t *testing.T, topic string) {
		stepstest.Hold(t, len(topic), func() {
			if typed, ok := parse(topic); ok {
				again, ok := parse(typed.topic())
				require.True(t, ok)
				require.Equal(t, typed, again)
			}
		})
	})
}

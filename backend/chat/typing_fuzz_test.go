package chat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// Topics come from other nodes, of whatever version.
func FuzzTyping(f *testing.F) {
	f.Add("chat.typing 1 2 3 visitor 0")
	f.Add("chat.typing 1 2 3 operator 9223372036854775808")
	f.Add("chat.typing     ")
	f.Fuzz(func(t *testing.T, topic string) {
		stepstest.Hold(t, len(topic), func() {
			if typed, ok := parseTyping(topic); ok {
				require.Contains(t, []Author{Visitor, Operator}, typed.By)
			}
		})
	})
}

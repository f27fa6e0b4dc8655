package conversation

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A stream keeps what it says of its next word, whatever comes between, and is calm when nobody has written for long.
func TestStreamsKeepTheirWord(t *testing.T) {
	t.Parallel()
	began := time.Now()
	b := beats{brisk, began, began}
	within := func(beat []byte) time.Duration {
		var says struct{ Within int }
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(string(beat), "data: ")), &says))
		return time.Duration(says.Within) * time.Second
	}
	promised, heard := within(brisk.beat), began
	look, spent := began.Add(b.at.every), make(map[time.Duration]int)
	for now := began; now.Before(began.Add(40 * time.Minute)); now = now.Add(100 * time.Millisecond) {
		minute := now.Sub(began) / time.Minute
		written := minute >= 15 && minute < 16 && now.Sub(began)%(7*time.Second) == 0
		switch {
		case written:
			b.talked, b.sent, heard = now, now, now
		case !now.Before(look):
			beat, again := b.due(now)
			look = now.Add(again)
			if beat != nil {
				promised, heard = within(beat), now
				spent[promised]++
				b.sent = now.Add(10 * time.Millisecond) // it takes a moment
			}
		}
		require.LessOrEqual(t, now.Sub(heard), promised-time.Second, "%v after the beginning", now.Sub(began))
	}
	require.Equal(t, calm, b.at)
	require.InDelta(t, 11*60/3, spent[within(brisk.beat)], 20, "beats of eleven lively minutes")
	require.InDelta(t, 29*60/20, spent[within(calm.beat)], 5, "and of the others")
}

package conversation

import "time"

// rhythm is how often a stream says something when there is no news. Its beat says within how many seconds the next word comes:
// a script that has heard nothing by then takes the node for lost.
type rhythm struct {
	every time.Duration
	beat  []byte
}

// A brisk stream is one whose node is missed soon. A calm one lets phones sleep.
var (
	brisk = &rhythm{3 * time.Second, []byte("data: {\"within\":8}\n\n")}
	calm  = &rhythm{20 * time.Second, []byte("data: {\"within\":45}\n\n")}
)

const (
	// lively is how long after a message a stream is brisk.
	lively = 5 * time.Minute
	// slack is what sending takes: a look comes as long after the last look, which is a little less after what was sent then.
	slack = 500 * time.Millisecond
	// lookEvery is how often it is looked at least whether the client is still there.
	lookEvery = 5 * time.Second
)

// beats are when a stream says that it is there. It begins brisk.
type beats struct {
	at     *rhythm
	sent   time.Time // when the client was sent something
	talked time.Time // when there was a message
}

// due is the beat that is to be sent now, if any, and when to look again.
func (b *beats) due(now time.Time) (beat []byte, again time.Duration) {
	before := b.at
	if b.at = calm; now.Sub(b.talked) < lively {
		b.at = brisk
	}
	if b.at != before || now.Sub(b.sent) >= b.at.every-slack {
		beat = b.at.beat
	}
	return beat, min(b.at.every, lookEvery)
}

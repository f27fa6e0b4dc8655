package call

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

var noon = time.UnixMilli(1_795_000_000_000)

func seconds(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }

func event(kind telephony.Kind, at int) telephony.Event {
	return telephony.Event{Platform: "webhook", Call: "c1", Kind: kind, At: seconds(at), Talk: telephony.Untold, Wait: telephony.Untold}
}

// course are the events of an answered call, in their order.
func course() []telephony.Event {
	start, answer, end, record := event(telephony.Start, 0), event(telephony.Answer, 8), event(telephony.End, 68), event(telephony.Record, 90)
	start.Called, start.Caller = "74957654321", "79123456789"
	end.Status, end.Talk, end.Wait, end.Price, end.Currency = telephony.Answered, 60, 8, "1.50", "RUB"
	record.Recording = "https://pbx.example/1.mp3"
	return []telephony.Event{start, answer, end, record}
}

func after(events ...telephony.Event) Call {
	var c Call
	for _, e := range events {
		c = c.With(e, seconds(100))
	}
	return c
}

// Events in any order, and any number of times, lead to the same call.
func TestEventsInAnyOrder(t *testing.T) {
	expected := after(course()...)
	require.Equal(t, expected.StartedAt, noon)
	require.Equal(t, expected.AnsweredAt, seconds(8))
	require.Equal(t, expected.EndedAt, seconds(68))
	require.Equal(t, State(telephony.Answered), expected.State(seconds(100)))
	require.Empty(t, expected.Notes)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		events := append(course(), course()...)
		random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		got := after(events...)
		require.True(t, expected.same(got), "%+v", got)
	}
}

func TestTimesOfACall(t *testing.T) {
	all := course()
	start, answer, end := all[0], all[1], all[2]
	talked := func(c Call) int { d, is := c.Talked(); return map[bool]int{true: int(d.Seconds()), false: -1}[is] }
	waited := func(c Call) int { d, is := c.Waited(); return map[bool]int{true: int(d.Seconds()), false: -1}[is] }
	bare := end
	bare.Talk, bare.Wait = telephony.Untold, telephony.Untold
	missed := bare
	missed.Status = telephony.Missed
	for name, c := range map[string]struct {
		call         Call
		begun        int
		talk, waited int
		state        State
	}{
		"ringing":                {after(start), 0, -1, -1, Ringing},
		"talking":                {after(start, answer), 0, -1, 8, Talking},
		"told":                   {after(start, answer, end), 0, 60, 8, State(telephony.Answered)},
		"concluded":              {after(start, answer, bare), 0, 60, 8, State(telephony.Answered)},
		"missed":                 {after(start, missed), 0, 0, 68, State(telephony.Missed)},
		"the end alone":          {after(end), 0, 60, 8, State(telephony.Answered)},
		"a bare end alone":       {after(bare), 68, -1, -1, State(telephony.Answered)},
		"a missed end alone":     {after(missed), 68, 0, -1, State(telephony.Missed)},
		"an answer alone":        {after(answer), 8, -1, -1, Talking},
		"the end, then the rest": {after(end, answer, start), 0, 60, 8, State(telephony.Answered)},
	} {
		require.Equal(t, seconds(c.begun), c.call.StartedAt, name)
		require.Equal(t, c.talk, talked(c.call), name)
		require.Equal(t, c.waited, waited(c.call), name)
		require.Equal(t, c.state, c.call.State(seconds(100)), name)
	}
	redirected := start
	redirected.Platform = telephony.SIP
	require.Equal(t, Redirected, after(redirected).State(seconds(1)))
	require.Equal(t, Redirected, after(redirected).State(noon.Add(5*time.Hour)), "nobody will report its end")
	require.Equal(t, Talking, after(redirected, answer).State(seconds(100)))
	require.Equal(t, State(telephony.Answered), after(redirected, end).State(seconds(100)))
	endless := after(start, answer)
	require.Equal(t, Talking, endless.State(noon.Add(4*time.Hour)))
	require.Equal(t, Endless, endless.State(noon.Add(5*time.Hour)))
	require.Equal(t, State(telephony.Answered), endless.With(end, noon.Add(6*time.Hour)).State(noon.Add(7*time.Hour)), "and when it ends after all")
}

// Of two ends the later one counts, and completes the other.
func TestTwoEnds(t *testing.T) {
	first, last := event(telephony.End, 30), event(telephony.End, 60)
	first.Status, first.Talk, first.Wait = telephony.Missed, 5, 7
	last.Status, last.Talk = telephony.Answered, 20
	for _, c := range []Call{after(first, last), after(last, first), after(first, last, first, last)} {
		require.Equal(t, telephony.Answered, c.Status)
		require.EqualValues(t, 20, c.Talk)
		require.EqualValues(t, 7, c.Wait)
	}
}

func TestClocks(t *testing.T) {
	now := noon.Add(100 * 24 * time.Hour)
	for name, c := range map[string]struct {
		told, at time.Duration // relative to now
		note     string
	}{
		"in time":            {-time.Second, -time.Second, ""},
		"a moment ahead":     {30 * time.Second, 0, ""},
		"ahead by hours":     {3 * time.Hour, 0, telephony.NoteAhead},
		"in another century": {100 * 365 * 24 * time.Hour, 0, telephony.NoteAhead},
		"late":               {-30 * time.Minute, -30 * time.Minute, ""},
		"late by hours":      {-3 * time.Hour, -3 * time.Hour, telephony.NoteLate},
		"behind by days":     {-25 * time.Hour, 0, telephony.NoteBehind},
	} {
		e := event(telephony.Start, 0)
		e.At = now.Add(c.told)
		call := Call{}.With(e, now)
		require.Equal(t, now.Add(c.at), call.StartedAt, name)
		require.Equal(t, c.note, call.Notes, name)
		e.Kind, e.Status = telephony.End, telephony.Missed
		call = call.With(e, now.Add(time.Second))
		require.True(t, call.same(call.With(e, now.Add(2*time.Second))), "%s: repeated, it says nothing new", name)
	}
	// A clock that jumps makes no call of negative length.
	end := event(telephony.End, -3600)
	end.Status = telephony.Answered
	_, known := after(course()[0], course()[1], end).Talked()
	require.False(t, known)
}

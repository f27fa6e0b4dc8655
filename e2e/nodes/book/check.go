package book

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// Back is how long a stream may take to be back after leads are acknowledged again.
	Back = 10 * time.Second
	// underway is how long something that a node has taken may be on its way to the database when nothing is wrong: the
	// form of an answer that has just been sent.
	underway = 10 * time.Second
)

// Violation is a promise that was not kept.
type Violation struct {
	Kind, What string
}

// The kinds of violations.
const (
	Lost      = "lost"
	Doubled   = "doubled"
	Changed   = "changed"
	OneNumber = "one number, two visitors"
	OneTalk   = "one conversation, two operators"
	Refused   = "refused page"
	Silent    = "stream not back"
	Panicked  = "panic"
)

// Check returns what was not kept of the entries, the last of which are younger than what is stored.
func Check(entries []Entry, stored *Stored) []Violation {
	found := checkSent(entries, stored)
	found = append(found, checkSetting(entries, stored)...)
	found = append(found, checkNumbers(entries)...)
	found = append(found, checkClaims(entries)...)
	found = append(found, checkPages(entries)...)
	return append(found, checkStreams(entries, stored.At)...)
}

// checkSent looks for each thing that was acknowledged, and for those that are there twice, acknowledged or not.
func checkSent(entries []Entry, stored *Stored) (found []Violation) {
	for _, e := range entries {
		if e.ID == "" || e.Kind == Heard || e.Kind == Setting {
			continue
		}
		things, known := stored.Things[e.Kind]
		if !known {
			continue
		}
		name := string(e.Kind) + " " + e.ID
		there := things[e.ID]
		switch {
		case len(there) > 1:
			found = append(found, Violation{Doubled, name})
		case !e.Acknowledged || e.At.After(stored.At):
		case len(there) == 0:
			if e.Kind != Form || stored.At.Sub(e.At) > underway {
				found = append(found, Violation{Lost, fmt.Sprintf("%s of %s", name, e.At.Format(time.TimeOnly))})
			}
		case there[0] != e.Value:
			found = append(found, Violation{Changed, fmt.Sprintf("%s: %q was acknowledged, %q is stored", name, e.Value, there[0])})
		}
	}
	return found
}

// checkSetting expects the setting that had been acknowledged last, or one that was tried after it. One at a time is set.
func checkSetting(entries []Entry, stored *Stored) []Violation {
	var may []string
	known := false
	for _, e := range entries {
		if e.Kind != Setting {
			continue
		}
		if e.Acknowledged && !e.At.After(stored.At) {
			may, known = nil, true
		}
		may = append(may, e.Value)
	}
	if !known || slices.Contains(may, stored.Setting) {
		return nil
	}
	return []Violation{{Lost, fmt.Sprintf("setting: %q is stored, expected %s", stored.Setting, strings.Join(may, " or "))}}
}

// checkNumbers looks for numbers that two visitors were shown at once.
func checkNumbers(entries []Entry) (found []Violation) {
	type end struct {
		by    string
		until time.Time
	}
	shown := make(map[string]end) // the one that lasts longest, by the number
	of := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Kind != Shown })
	slices.SortStableFunc(of, func(a, b Entry) int { return a.At.Compare(b.At) })
	for _, e := range of {
		last := shown[e.Value]
		if last.by != e.By && e.At.Before(last.until) {
			found = append(found, Violation{OneNumber, fmt.Sprintf("%s is shown to %s from %s, and to %s until %s", e.Value, e.By, e.At.Format(time.TimeOnly), last.by, last.until.Format(time.TimeOnly))})
		}
		if e.Until.After(last.until) {
			shown[e.Value] = end{e.By, e.Until}
		}
	}
	return found
}

// checkClaims looks for conversations that an operator was given while another surely had them.
func checkClaims(entries []Entry) (found []Violation) {
	has := make(map[string]Entry) // the claim, by the conversation
	of := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Kind != Claimed && e.Kind != Returned })
	slices.SortStableFunc(of, func(a, b Entry) int { return a.At.Compare(b.At) })
	for _, e := range of {
		switch had := has[e.Of]; {
		case e.Kind == Returned && had.By == e.By:
			delete(has, e.Of)
		case e.Kind == Claimed:
			if had.By != e.By && e.At.Before(had.Until) {
				found = append(found, Violation{OneTalk, fmt.Sprintf("%s: %s has it, and %s gets it at %s", e.Of, had.By, e.By, e.At.Format(time.TimeOnly))})
			}
			has[e.Of] = e
		}
	}
	return found
}

// checkPages looks for pages that came otherwise than the site has sent them.
func checkPages(entries []Entry) (found []Violation) {
	for _, e := range entries {
		if (e.Kind == Page || e.Kind == Form) && !e.Acknowledged && !e.Excused && !isStalled(entries, e.Since, e.At) && !IsDropped(entries, e) {
			found = append(found, Violation{Refused, fmt.Sprintf("%s of %s: %s", e.Kind, e.At.Format(time.TimeOnly), e.Instead)})
		}
	}
	return found
}

// IsDropped tells whether a Caddy that read its configuration anew just then has ended the connection of a page or a form.
// Go's server does so, without Frontdesk too, with requests that it has read when it is told to end
// (https://go.dev/issue/75591). No handler has seen them: one that panics looks alike, and is in the log. Where it was a
// node's, the balancer asks another for a page, and says of a form that its answer is lost.
func IsDropped(entries []Entry, e Entry) bool {
	dropped := strings.HasSuffix(e.Instead, ": EOF") || e.Kind == Form && e.Instead == "502 "
	return dropped && slices.ContainsFunc(entries, func(of Entry) bool {
		return of.Kind == Reloaded && of.Since.Before(e.At) && of.At.After(e.Since)
	})
}

// isStalled tells whether the machine stood still between the two, or so little before that nothing had recovered.
func isStalled(entries []Entry, from, to time.Time) bool {
	return slices.ContainsFunc(entries, func(e Entry) bool {
		return e.Kind == Stalled && e.Since.Before(to) && e.At.Add(underway).After(from)
	})
}

// checkStreams looks for streams by which nothing has come within [Back] of the end of a fault.
func checkStreams(entries []Entry, now time.Time) (found []Violation) {
	opened := make(map[string]time.Time)
	heard := make(map[string][]time.Time)
	for _, e := range entries {
		switch e.Kind {
		case Opened:
			if _, known := opened[e.Of]; !known {
				opened[e.Of] = e.At
			}
		case Heard:
			heard[e.Of] = append(heard[e.Of], e.At)
		}
	}
	for _, e := range entries {
		by := e.At.Add(Back)
		if e.Kind != Fault || now.Before(by) {
			continue
		}
		for stream, began := range opened {
			if began.After(e.Since) {
				continue
			}
			if !slices.ContainsFunc(heard[stream], func(at time.Time) bool { return at.After(e.At) && at.Before(by) }) && !isStalled(entries, e.At, by) {
				found = append(found, Violation{Silent, fmt.Sprintf("%s after %s: nothing from %s to %s", stream, e.Value, e.At.Format(time.TimeOnly), by.Format(time.TimeOnly))})
			}
		}
	}
	return found
}

package operator

import "time"

// ahead is how far ahead it is looked for the next hours of a group.
const ahead = 21 * 24 * time.Hour

// Opens is when the group works next: at the time itself if it does, else at the beginning of its next hours. known is
// false when it does not work within three weeks.
func (g Group) Opens(at time.Time) (opens time.Time, known bool) {
	zone := g.location()
	if g.openIn(zone, at) {
		return at, true
	}
	for next := at.Truncate(time.Minute).Add(time.Minute); next.Sub(at) < ahead; next = next.Add(time.Minute) {
		if g.openIn(zone, next) {
			return next, true
		}
	}
	return time.Time{}, false
}

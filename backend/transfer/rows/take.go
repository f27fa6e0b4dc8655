package rows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
)

// Taken are numbers that nobody here has been given, for the rows of a file.
type Taken struct {
	// First are those that take the place of 1, by sequence.
	First map[string]int64
	// Stay is above the numbers of views that stay as they are. They tell a day on which no more are drawn here, and those
	// of the site's rows are the site's alone: others are of other sites.
	Stay int64
}

// Take takes as many numbers of each sequence as the rows may need. What nobody here has yet been given is taken, so that
// no number of the file is one that a row of the site will have.
func Take(ctx context.Context, d *db.DB, tx db.Tx, h Heads, now time.Time) (t Taken, err error) {
	if len(h.Sequences) != len(sequences) {
		return t, errors.New("the first line does not say which numbers the rows have")
	}
	t = Taken{First: make(map[string]int64, len(sequences)), Stay: partition.First(now)}
	for _, s := range sequences {
		n, most, least := h.Sequences[string(s)], int64(mostNumbers), int64(1)
		if s == ofView { // these have days
			most = mostNumber
		}
		if n < 1 || n > most {
			return t, fmt.Errorf("the first line says that the rows have %d numbers of %q: expected 1 to %d", n, s, most)
		}
		if s == ofView {
			n, least = max(n-t.Stay, 0)+1, t.Stay
			if n > 1<<db.DayBits { // as many as a day has; the numbers given out here never go back
				return t, errors.New("the first line says that views are of days to come: expected that the clocks of both installations are right")
			}
		}
		at, err := d.Sequence(string(s), 1).TakeFrom(ctx, tx, n, least)
		if err != nil {
			return t, err
		}
		if at > mostNumber-n {
			return t, fmt.Errorf("there are no more numbers of %q", s)
		}
		if t.First[string(s)] = at; s == ofView {
			t.First[string(s)] -= t.Stay - 1
		}
	}
	return t, nil
}

// oldest bounds the days of views, so that a file cannot have partitions made for thousands of years.
const oldest = 20 * 366 * 24 * time.Hour

// daysOf is how many numbers of views the days have.
func daysOf(d time.Duration) int64 { return int64(d/(24*time.Hour)) << db.DayBits }

// view is the number here of a view, a visit or a visitor, of which rows can be stored.
func (s *storing) view(n int64) (int64, error) {
	if n >= s.Taken.Stay {
		n += s.Taken.First[string(ofView)] - 1
	} else if s.Taken.Stay-n > daysOf(oldest) {
		return 0, fmt.Errorf("%d: the number is of a day long ago: %w", n, errReference)
	}
	if s.Keys.Parts.Ready(n) {
		return n, nil
	}
	_, err := s.Keys.Parts.Cover(s.ctx, n, n)
	return n, err
}

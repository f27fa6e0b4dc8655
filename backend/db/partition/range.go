package partition

import (
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// maxDays is how many days a partition has at most: those of 800 days are 29, which queries that name no number ask each.
const maxDays = 28

// Days returns how many days a partition has of rows that are kept for that long, or for ever with 0: as many as make 28
// partitions of what is kept, but one at least and 28 at most.
func Days(kept time.Duration) int64 {
	days := int64(kept/(24*time.Hour)) / maxDays
	if kept == 0 {
		days = maxDays
	}
	return min(max(days, 1), maxDays)
}

// maxDay is in the year 4840: whatever a clock says, numbers stay integers that JavaScript holds exactly.
const maxDay = 1 << 20

// First returns the first number of the time's day (UTC).
func First(t time.Time) int64 { return max(1, min(db.Day(t), maxDay)<<db.DayBits) }

// Range is of the numbers from From up to To, without To.
type Range struct{ From, To int64 }

// End is when the range's last day ends.
func (r Range) End() time.Time { return dayOf(r.To) }

// Length is how long its days are together.
func (r Range) Length() time.Duration { return dayOf(r.To).Sub(dayOf(r.From)) }

func dayOf(number int64) time.Time {
	return time.UnixMilli((number >> db.DayBits) * (24 * time.Hour).Milliseconds())
}

// Has says whether the number is one of the range.
func (r Range) Has(number int64) bool { return r.From <= number && number < r.To }

// Name is that of the table's partition.
func (r Range) Name(table string) string {
	return fmt.Sprintf("%s_%d_%d", table, r.From>>db.DayBits, r.To>>db.DayBits)
}

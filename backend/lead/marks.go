package lead

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// The marks of a lead: what speaks for its being made by a program. A lead is never refused for them.
const (
	Trap     = "trap"     // a field is filled that people do not see
	Quick    = "quick"    // the form came within QuickTime of its page
	Bot      = "bot"      // the client says that it is a program
	Repeated = "repeated" // others have just sent the same text
)

// QuickTime is how long people take at least from seeing a page to having filled its form.
const QuickTime = time.Second

const (
	// repeatedWithin is how long a text is remembered, and repeatedBy of how many others it has come before it
	// is marked. Sites write texts for their visitors, so one other is no sign.
	repeatedWithin = 24 * time.Hour
	repeatedBy     = 2
)

// Spam tells whether the marks make it likely that a program has sent the lead. People have been seen to be
// quick, and to send the text that a site has written for them, but not both.
func (l *Lead) Spam() bool {
	return len(l.Marks) > 1 || slices.Contains(l.Marks, Trap) || slices.Contains(l.Marks, Bot)
}

// mark adds a mark.
func (l *Lead) mark(mark string) {
	if !slices.Contains(l.Marks, mark) {
		l.Marks = append(l.Marks, mark)
		slices.Sort(l.Marks)
	}
}

// markRepeated marks a stored lead whose text others have sent. Somebody with the same e-mail or phone is nobody else.
//
// Leads of several visitors may be added beside each other. Each looks when it is stored itself, so that of any two
// one sees the other.
func (l *ready) markRepeated(ctx context.Context, tx db.Tx) error {
	if l.hash == 0 {
		return nil
	}
	others, err := db.List(ctx, tx, db.Only[int64], `SELECT visitor_id FROM leads
		WHERE site_id = $1 AND message_hash = $2 AND message_hash <> 0 AND at >= $3 AND visitor_id <> $4
			AND (email = '' OR email <> $5) AND (phone_digits = '' OR phone_digits <> $6)
		GROUP BY visitor_id LIMIT $7`,
		l.SiteID, l.hash, l.At.Add(-repeatedWithin).UnixMilli(), int64(l.Visitor), l.Email, l.PhoneDigits, repeatedBy)
	if err != nil || len(others) < repeatedBy {
		return err
	}
	l.mark(Repeated)
	if err := l.keepLists(ctx, tx); err != nil || !l.Spam() {
		return err
	}
	l.State = Spam
	return tx.Send(ctx, `UPDATE leads SET state = $3 WHERE site_id = $1 AND id = $2`, l.SiteID, l.ID, int64(l.State))
}

// CameAsSpam tells whether the lead of the journal's entry has come as spam.
func CameAsSpam(e journal.Entry) bool {
	var l Lead
	return json.Unmarshal(e.Data, &struct{ Marks *[]string }{&l.Marks}) == nil && l.Spam()
}

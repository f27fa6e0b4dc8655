package lead

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// maxContinued is the length in characters up to which a message is continued. It is written and indexed anew with each
// line, however short.
const maxContinued = 4 << 10

// Continue adds a line to the lead's message, in the caller's transaction. Nothing is added to a message that has 4,096
// characters: the conversation has the rest. The result is false if the lead is neither of the visit nor younger than
// since. After the transaction, [Leads.Index] has the lead found by the line.
func (l *Leads) Continue(ctx context.Context, tx db.Tx, n Key, in visit.ID, since time.Time, line string) (bool, error) {
	changed, err := tx.Exec(ctx, `UPDATE leads SET indexed = indexed AND length(message) >= $3,
			message = CASE WHEN length(message) < $3 THEN message || $4 ELSE message END
		WHERE site_id = $1 AND id = $2 AND (visit_id = $5 OR at >= $6)`, n.SiteID, n.ID, maxContinued, "\n"+line, int64(in), since.UnixMilli())
	if err == nil && changed > 0 {
		err = journal.Append(ctx, tx, journal.Entry{SiteID: n.SiteID, At: l.now(), Kind: Changed, SubjectID: n.ID, Data: []byte(`{"deed":"continued"}`)})
	}
	if err != nil {
		return false, fmt.Errorf("continuing a lead: %w", err)
	}
	return changed > 0, nil
}

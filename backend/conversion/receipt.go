package conversion

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

const (
	// FeedDays is for how many days conversions stand in files: platforms take none of clicks that are older.
	FeedDays = 90
	// keepFor is for how long it is known what was told.
	keepFor = (FeedDays + 10) * 24 * time.Hour
)

// receipt is a conversion that a destination has.
type receipt struct {
	Entry     int64
	Goal      platform.Goal
	Subject   string // one of the kinds below
	SubjectID int64  // 0 where the person was erased
	At        time.Time
	// Value and Currency are empty for none.
	Value, Currency string
	// The ids are those of destinations that fetch.
	ClickIDName, ClickID, ClientID string
	Talk, Wait                     int64
	First                          bool
	// RevisedAt is when the value was changed, and TakenAt since when the conversion counts no more; zero for never.
	RevisedAt, TakenAt time.Time
}

// ID is that by which the platform knows it.
func (r receipt) ID() string { return platform.IDOf(r.Entry, r.Goal) }

// The kinds of subjects.
const (
	ofLead         = "lead"
	ofCall         = "call"
	ofConversation = "conversation"
)

type receiptRow struct {
	receipt
	at, revised, taken int64
}

const receiptColumns = `entry, goal, subject, subject_id, at, value, currency, click_id_name, click_id, client_id, talk, wait, first, revised_at, taken_at`

func (r *receiptRow) fields() []any {
	return []any{&r.Entry, &r.Goal, &r.Subject, &r.SubjectID, &r.at, &r.Value, &r.Currency, &r.ClickIDName, &r.ClickID, &r.ClientID, &r.Talk, &r.Wait, &r.First, &r.revised, &r.taken}
}

func receipts(ctx context.Context, from db.Queries, where string, args ...any) ([]receipt, error) {
	rows, err := db.List(ctx, from, (*receiptRow).fields, `SELECT `+receiptColumns+` FROM conversions WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("reading conversions: %w", err)
	}
	list := make([]receipt, len(rows))
	for i, r := range rows {
		list[i] = r.receipt
		list[i].At, list[i].RevisedAt, list[i].TakenAt = time.UnixMilli(r.at), db.Time(r.revised), db.Time(r.taken)
	}
	return list, nil
}

// countingOnes is the condition on the conversions of a subject that an endpoint has, and that count. They are found by the
// subject, which has few; SQLite would go through all of the endpoint's for the order.
const countingOnes = `site_id = $1 AND subject_id = $2 AND subject = $3 AND +endpoint_id = $4 AND taken_at = 0 ORDER BY entry`

func (c *Conversions) counting(ctx context.Context, e notify.Endpoint, s subject) ([]receipt, error) {
	return receipts(ctx, c.DB.Read(), countingOnes, e.SiteID, s.id, s.kind, e.ID)
}

// keep notes that the endpoint has the conversions.
func (c *Conversions) keep(ctx context.Context, e notify.Endpoint, r notify.Delivery, s subject, what []platform.Conversion) error {
	return c.write(ctx, func(ctx context.Context, tx db.Tx) error {
		for _, one := range what {
			name, click, client := "", "", ""
			if IsFetched(e.Kind) {
				name, click = one.Click.ClickIDName, one.Click.ClickID
				if e.Kind == Yandex {
					client = one.IDs.YM
				}
			}
			if _, err := tx.Exec(ctx, `INSERT INTO conversions (site_id, endpoint_id, `+receiptColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, 0)
				ON CONFLICT (site_id, endpoint_id, entry, goal) DO NOTHING`,
				e.SiteID, e.ID, r.Entry, string(one.Goal), s.kind, s.id, one.At.UnixMilli(), one.Value, one.Currency, name, click, client, one.Talk, one.Wait, one.First); err != nil {
				return err
			}
		}
		return nil
	})
}

// mark notes that a conversion of the endpoint counts no more, or that it has another value.
func (c *Conversions) mark(ctx context.Context, e notify.Endpoint, r receipt, set string, args ...any) error {
	return c.write(ctx, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE conversions SET `+set+` WHERE site_id = $1 AND endpoint_id = $2 AND entry = $3 AND goal = $4`,
			append([]any{e.SiteID, e.ID, r.Entry, string(r.Goal)}, args...)...)
		return err
	})
}

func (c *Conversions) write(ctx context.Context, f func(context.Context, db.Tx) error) error {
	if err := c.DB.Write(ctx, 0, f); err != nil {
		return fmt.Errorf("noting conversions: %w", err)
	}
	return nil
}

// prunedAtOnce bounds how many rows one transaction deletes.
const prunedAtOnce = 500

// Prune deletes what is older than it is kept, and what destinations had that have been removed.
func (c *Conversions) Prune(ctx context.Context) error {
	for which, args := range map[string][]any{
		`c.at < $2`: {prunedAtOnce, c.now().Add(-keepFor).UnixMilli()},
		`NOT EXISTS (SELECT 1 FROM endpoints e WHERE e.site_id = c.site_id AND e.id = c.endpoint_id)`: {prunedAtOnce},
	} {
		// A reader may look through all of them; for a writer, others would wait.
		some, err := db.List(ctx, c.DB.Read(), db.Only[int], `SELECT 1 FROM conversions c WHERE `+which+` LIMIT $1`, args...)
		if err != nil {
			return fmt.Errorf("looking for old conversions: %w", err)
		}
		for pruned := int64(prunedAtOnce); len(some) > 0 && pruned == prunedAtOnce; {
			err := c.write(ctx, func(ctx context.Context, tx db.Tx) (err error) {
				pruned, err = tx.Exec(ctx, `DELETE FROM conversions WHERE (site_id, endpoint_id, entry, goal) IN
					(SELECT c.site_id, c.endpoint_id, c.entry, c.goal FROM conversions c WHERE `+which+` LIMIT $1)`, args...)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Traces are the conversions of a person. Without the person, they stay as taken back: who has fetched them is told so.
func (c *Conversions) Traces() trace.Subject {
	var tables []trace.Table
	for by, subject := range map[trace.Kind]string{trace.Lead: ofLead, trace.Call: ofCall, trace.Conversation: ofConversation} {
		tables = append(tables, trace.Table{
			Name: "conversions", By: by, Where: `site_id = $1 AND subject_id = $2 AND subject = '` + subject + `'`,
			Set: `subject_id = 0, click_id_name = '', click_id = '', client_id = '', taken_at = CASE WHEN taken_at = 0 THEN ` + db.Clock(c.DB.Engine()) + ` ELSE taken_at END`,
		})
	}
	return trace.Subject{Tables: tables}
}

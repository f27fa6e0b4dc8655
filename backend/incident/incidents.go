package incident

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Note notes that something is wrong now, as i says without its times. sure says that this note proves it; otherwise it
// has to last for [Grace]. The journal is told if it was not yet, and the last time is not too recent. The row stays
// locked until the transaction ends.
func Note(ctx context.Context, tx db.Tx, i Incident, sure bool, now time.Time) error {
	at := now.UnixMilli()
	due := at
	if !sure {
		due += Grace.Milliseconds()
	}
	_, err := tx.Exec(ctx, `INSERT INTO incidents (site_id, kind, about, name, status, begun_at, last_at, due_at, mended_at, over_at, told, told_at)
		SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT), 0, 0, FALSE, 0
			WHERE (SELECT COUNT(*) FROM incidents WHERE site_id = $1 AND (kind, about) <> ($2, $3)) < $8
		ON CONFLICT (site_id, kind, about) DO UPDATE SET name = excluded.name, status = excluded.status, last_at = excluded.last_at, mended_at = 0, over_at = 0,
			begun_at = CASE WHEN incidents.over_at = 0 THEN incidents.begun_at ELSE excluded.begun_at END,
			due_at = CASE WHEN incidents.over_at = 0 AND incidents.due_at < excluded.due_at THEN incidents.due_at ELSE excluded.due_at END,
			told = incidents.told AND incidents.over_at = 0`,
		i.SiteID, string(i.Kind), i.About, i.Name, i.Status, at, due, MaxOfSite)
	if err == nil {
		err = tell(ctx, tx, now, one, i.SiteID, string(i.Kind), i.About)
	}
	if err != nil {
		return fmt.Errorf("noting an incident: %w", err)
	}
	return nil
}

// Mend notes that it works again. The incident ends when that has gone on for [Calm], or at once if nobody was told of it.
func Mend(ctx context.Context, tx db.Tx, siteID int64, kind Kind, about string, now time.Time) error {
	if err := tx.Send(ctx, `UPDATE incidents SET mended_at = $1, over_at = CASE WHEN told THEN 0 ELSE CAST($1 AS BIGINT) END WHERE mended_at = $2 AND over_at = 0 AND `+one,
		now.UnixMilli(), 0, siteID, string(kind), about); err != nil {
		return fmt.Errorf("mending an incident: %w", err)
	}
	return nil
}

// End notes that nothing is wrong there any more. If the journal was told that something is, it is told.
func End(ctx context.Context, tx db.Tx, siteID int64, kind Kind, about string, now time.Time) error {
	if err := end(ctx, tx, now, one, siteID, string(kind), about); err != nil {
		return fmt.Errorf("ending an incident: %w", err)
	}
	return nil
}

// one is the condition on a single incident: of the site $3, the kind $4 and about $5.
const one = `site_id = $3 AND kind = $4 AND about = $5`

// untold is the condition on incidents that the journal has to be told of at the time $1, if the last time was not after $2.
const untold = `over_at = 0 AND NOT told AND due_at <= last_at AND told_at <= $2`

func tell(ctx context.Context, tx db.Tx, now time.Time, which string, args ...any) error {
	told, err := db.List(ctx, tx, (*row).fields, `UPDATE incidents SET told = TRUE, told_at = $1 WHERE `+untold+` AND `+which+` RETURNING `+columns,
		append([]any{now.UnixMilli(), now.Add(-TellEvery).UnixMilli()}, args...)...)
	if err != nil {
		return err
	}
	begun, err := entries(Begun, told, now)
	if err != nil {
		return err
	}
	return journal.AppendAll(ctx, tx, begun)
}

func end(ctx context.Context, tx db.Tx, now time.Time, which string, args ...any) error {
	ended, err := db.List(ctx, tx, (*row).fields, `UPDATE incidents SET over_at = $1 WHERE over_at = $2 AND `+which+` RETURNING `+columns, append([]any{now.UnixMilli(), 0}, args...)...)
	if err != nil {
		return err
	}
	told := ended[:0]
	for _, r := range ended {
		if r.told {
			told = append(told, r)
		}
	}
	over, err := entries(Over, told, now)
	if err != nil {
		return err
	}
	return journal.AppendAll(ctx, tx, over)
}

// Incidents are those of all sites. It is safe for concurrent use, on any number of nodes.
type Incidents struct {
	db  *db.DB
	now func() time.Time
}

// New returns the incidents of the database.
func New(d *db.DB, now func() time.Time) *Incidents { return &Incidents{d, now} }

// Now returns what is wrong with the sites now, the latest first. An endpoint is left out until it has been away for
// [Grace].
func (i *Incidents) Now(ctx context.Context, sites scope.Sites) ([]Incident, error) {
	rows, err := db.List(ctx, i.db.Read(), (*row).fields, `SELECT `+columns+` FROM incidents WHERE over_at = 0 AND due_at <= last_at AND `+sites.SQL("site_id")+`
		ORDER BY begun_at DESC, kind, about LIMIT 1000`)
	if err != nil {
		return nil, fmt.Errorf("reading incidents: %w", err)
	}
	all := make([]Incident, len(rows))
	for at, r := range rows {
		all[at] = r.incident()
	}
	return all, nil
}

// settleEvery is how often incidents are looked at that end, or are told, by the time alone.
const settleEvery = 30 * time.Second

// Run settles incidents until ctx ends.
func (i *Incidents) Run(ctx context.Context, logger *zap.Logger) {
	for aside.Sleep(ctx, settleEvery) {
		if err := i.Settle(ctx); err != nil && ctx.Err() == nil {
			logger.Warn("settling incidents failed", zap.Error(err))
		}
	}
}

// Settle ends the incidents that are over by the time alone, tells of those that could not be told at once, and deletes
// old ones. On several nodes at once, one does it.
func (i *Incidents) Settle(ctx context.Context) error {
	now := i.now()
	quiet, calm, stale := now.Add(-PoolOver).UnixMilli(), now.Add(-Calm).UnixMilli(), now.Add(-Stale).UnixMilli()
	const due = `over_at = 0 AND (kind IN ('pool', 'limit') AND last_at <= $1 OR mended_at > 0 AND mended_at <= $4 OR last_at <= $2 OR NOT told AND due_at <= last_at AND told_at <= $3) OR over_at > 0 AND over_at <= $2`
	args := []any{quiet, stale, now.Add(-TellEvery).UnixMilli(), calm}
	_, some, err := db.One(ctx, i.db.Read(), db.Only[int], `SELECT 1 FROM incidents WHERE `+due+` LIMIT 1`, args...)
	if err == nil && some {
		err = i.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			// All lock rows in this order.
			if _, err := db.List(ctx, tx, db.Only[string], `SELECT about FROM incidents WHERE `+due+` ORDER BY site_id, kind, about FOR UPDATE`, args...); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `DELETE FROM incidents WHERE over_at > 0 AND over_at <= $1 OR over_at = 0 AND last_at <= $1`, stale); err != nil {
				return err
			}
			if err := end(ctx, tx, now, `(kind IN ($3, $6) AND last_at <= $4 OR mended_at > 0 AND mended_at <= $5)`, string(Pool), quiet, calm, string(Limit)); err != nil {
				return err
			}
			return tell(ctx, tx, now, `kind <> $3`, "")
		})
	}
	if err != nil {
		return fmt.Errorf("settling incidents: %w", err)
	}
	return nil
}

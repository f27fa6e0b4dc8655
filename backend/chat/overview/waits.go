package overview

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Waits is how long visitors have waited for the answers of an operator, or of the operators of a group.
type Waits struct {
	// SiteID and GroupID are of a group, 0 for none; OperatorID is of an operator.
	SiteID, GroupID, OperatorID int64
	// Answers are how many answers somebody has waited for, and Prompt those of them that came within [Promptly].
	Answers, Prompt int64
	// Sum and Longest are in milliseconds.
	Sum, Longest int64
}

// Promptly is how soon a prompt answer comes.
const Promptly = time.Minute

// Mean is the mean wait.
func (w Waits) Mean() time.Duration {
	return time.Duration(w.Sum/max(1, w.Answers)) * time.Millisecond
}

// Most is the longest wait.
func (w Waits) Most() time.Duration { return time.Duration(w.Longest) * time.Millisecond }

// WaitsByOperator returns how long visitors of the sites have waited since the time for the answers of each operator, who
// has answered most comes first.
func (o *Overview) WaitsByOperator(ctx context.Context, sites scope.Sites, since time.Time) ([]Waits, error) {
	return o.waits(ctx, sites, since, `0, 0, operator_id`, `operator_id`)
}

// WaitsByGroup is [Overview.WaitsByOperator] for each group.
func (o *Overview) WaitsByGroup(ctx context.Context, sites scope.Sites, since time.Time) ([]Waits, error) {
	return o.waits(ctx, sites, since, `site_id, group_id, 0`, `site_id, group_id`)
}

func (o *Overview) waits(ctx context.Context, sites scope.Sites, since time.Time, of, by string) ([]Waits, error) {
	found, err := db.List(ctx, o.db.Read(), func(w *Waits) []any {
		return []any{&w.SiteID, &w.GroupID, &w.OperatorID, &w.Answers, &w.Prompt, &w.Sum, &w.Longest}
	}, `SELECT `+of+`, COUNT(*), COUNT(CASE WHEN waited <= $2 THEN 1 END), CAST(SUM(waited) AS BIGINT), MAX(waited)
		FROM chat_waits WHERE at >= $1 AND `+sites.SQL("site_id")+` GROUP BY `+by+` ORDER BY COUNT(*) DESC, `+by+` LIMIT 200`, since.UnixMilli(), Promptly.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("reading how long visitors have waited: %w", err)
	}
	return found, nil
}

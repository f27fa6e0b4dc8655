package call

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// Filter selects calls. A field that is empty selects all, except Sites.
type Filter struct {
	Sites scope.Sites
	// Lagging leaves out what has been stored in the last seconds, see [db.DB.Lagging].
	Lagging bool
	// Unattributed also selects calls to numbers of no site, if Sites are all sites.
	Unattributed bool
	// Outcome is how the calls ended.
	Outcome Outcome
	// Confidence is the confidence of the calls' findings.
	Confidence Confidence
	// Source is the kind of the calls' [Finding.SourceOrCampaign], one of source.Kinds.
	Source string
	// Number is a part of the caller's, the called or the printed number, in any writing. See [Filter.Check].
	Number string
	// Since and Until bound the start of the calls: Since <= start < Until.
	Since, Until time.Time
}

// Outcome says how calls ended.
type Outcome string

// The outcomes.
const (
	Answered Outcome = "answered" // somebody has spoken, or is speaking
	Lost     Outcome = "lost"     // missed, busy or failed
)

// ErrNumber is returned for a number without digits, or with more than a telephone number has.
var ErrNumber = errors.New("expected a part of a telephone number: 1 to 20 digits")

// Check returns ErrNumber if the filter cannot be applied.
func (f Filter) Check() error {
	if digits := contact.Digits(f.Number); f.Number != "" && (digits == "" || len(digits) > 20) {
		return ErrNumber
	}
	return nil
}

// Parts returns the digits that a number has in a row of which somebody has typed a part: those typed, or what stands
// behind the 8 or 0 that is dialled before a number within its country or to leave it. It returns none for no digits.
func Parts(typed string) []string {
	digits := contact.Digits(typed)
	if digits == "" {
		return nil
	}
	parts := []string{digits}
	if len(digits) >= 10 && (digits[0] == '8' || digits[0] == '0') {
		parts = append(parts, strings.TrimPrefix(digits[1:], "0"))
	}
	return parts
}

// where returns the condition on the rows of the table c. It appends its arguments to args.
func (f Filter) where(args []any) (string, []any) {
	which := f.Sites.SQL("c.site_id")
	add := func(condition string, value any) {
		args = append(args, value)
		which += ` AND ` + fmt.Sprintf(condition, "$"+strconv.Itoa(len(args)))
	}
	if !f.Unattributed {
		which += ` AND c.site_id <> 0`
	}
	switch f.Outcome {
	case Answered:
		which += ` AND (c.status = 'answered' OR c.status = '' AND c.answered_at <> 0)`
	case Lost:
		which += ` AND c.status IN ('missed', 'busy', 'failed')`
	}
	if f.Confidence != "" {
		add(`c.confidence = %s`, string(f.Confidence))
	}
	if f.Source != "" {
		add(`c.listed_kind = %s`, f.Source)
	}
	if parts := Parts(f.Number); len(parts) > 0 {
		var ways []string
		for _, part := range parts {
			args = append(args, "%"+part+"%")
			mark := "$" + strconv.Itoa(len(args))
			for _, column := range []string{"c.caller", "c.called", "c.replaces"} {
				ways = append(ways, column+` LIKE `+mark)
			}
		}
		which += ` AND (` + strings.Join(ways, ` OR `) + `)`
	}
	if !f.Since.IsZero() {
		add(`c.started_at >= %s`, f.Since.UnixMilli())
	}
	if !f.Until.IsZero() {
		add(`c.started_at < %s`, f.Until.UnixMilli())
	}
	return which, args
}

// Figures are sums and means over calls.
type Figures struct {
	Calls, Lost int
	// First counts the calls of numbers that had never called the site before.
	First int
	// Wait and Talk are the mean times of ringing and of speaking, over the calls for which they are known. They are 0
	// if there are none.
	Wait, Talk time.Duration
}

// Figures returns the figures of the calls of the filter. It reads each of these calls, so the filter should bound the
// time. They may be some seconds old.
func (c *Calls) Figures(ctx context.Context, filter Filter) (Figures, error) {
	which, args := filter.where(nil)
	type row struct {
		Figures
		wait, talk float64
	}
	// The query repeats the rules of [Call.Waited] and [Call.Talked].
	r, _, err := db.One(ctx, c.db.Lagging(), func(r *row) []any { return []any{&r.Calls, &r.Lost, &r.First, &r.wait, &r.talk} }, `SELECT COUNT(*),
		COALESCE(SUM(CASE WHEN c.status IN ('missed', 'busy', 'failed') THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN c.caller <> '' AND NOT EXISTS
			(SELECT 1 FROM calls e WHERE e.site_id = c.site_id AND e.caller = c.caller AND e.caller <> '' AND e.started_at < c.started_at) THEN 1 ELSE 0 END), 0),
		CAST(COALESCE(AVG(CASE WHEN c.wait >= 0 THEN c.wait * 1000 WHEN NOT c.start_told THEN NULL
			WHEN c.status NOT IN ('', 'answered') AND c.ended_at >= c.started_at THEN c.ended_at - c.started_at
			WHEN c.status IN ('', 'answered') AND c.answered_at >= c.started_at THEN c.answered_at - c.started_at END), 0) AS DOUBLE PRECISION),
		CAST(COALESCE(AVG(CASE WHEN c.status NOT IN ('', 'answered') THEN NULL WHEN c.talk >= 0 THEN c.talk * 1000
			WHEN c.answered_at <> 0 AND c.ended_at >= c.answered_at THEN c.ended_at - c.answered_at END), 0) AS DOUBLE PRECISION)
		FROM calls c WHERE `+which, args...)
	if err != nil {
		return Figures{}, fmt.Errorf("summing calls up: %w", err)
	}
	r.Wait, r.Talk = time.Duration(r.wait)*time.Millisecond, time.Duration(r.talk)*time.Millisecond
	return r.Figures, nil
}

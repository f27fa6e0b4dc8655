package refused

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// Anybody can send what is refused, as often as the service answers. So what was refused of a request waits
// in memory, where it costs its sender's neighbours nothing, and is written in bundles, of which there is one at a time
// and one a second at most. Forms are fewer, as those of a client are limited, and nobody repeats them: each is written
// at once, see [Refusals.Add].
const (
	keepEvery = time.Second
	// keepTimeout bounds the last write when the service ends.
	keepTimeout = 2 * time.Second
)

// AddSoon keeps a submission that became no lead. It does not block; the submission is in the database about a second
// later, if [Refusals.Run] runs. Of very many, most are lost. Its ID and Times are filled in here.
func (f *Refusals) AddSoon(r Refusal) {
	r.At, r.Times = time.UnixMilli(f.now().UnixMilli()), 1
	f.waiting.add(r)
}

// Add keeps a submission that became no lead, and returns when it is durable. If there is no room for it, it is counted
// and kept is false. Its ID and Times are filled in here, and At where it is zero. The same of the same moment is kept
// once.
func (f *Refusals) Add(ctx context.Context, r Refusal) (kept bool, err error) {
	if r.At.IsZero() {
		r.At = f.now()
	}
	r.At, r.Times = time.UnixMilli(r.At.UnixMilli()), 1
	// What has waited may come once more, also to a node that hides its sender's address in another way.
	_, known, err := db.One(ctx, f.db.Read(), db.Only[int64], `SELECT id FROM refused_leads WHERE site_id = $1 AND at = $2 AND origin = $3 AND code = $4 AND sent = $5`,
		r.SiteID, r.At.UnixMilli(), r.Origin, r.Code, string(shortened(r.Sent)))
	if err != nil {
		return false, fmt.Errorf("looking for a refused submission: %w", err)
	}
	if known {
		return true, nil
	}
	stored, err := f.write(ctx, []Refusal{r}, nil)
	if err != nil {
		return false, fmt.Errorf("keeping a refused submission: %w", err)
	}
	return stored > 0, nil
}

// CountLost counts a form of the site that was not kept, since its client sends too many. It is stored as what AddSoon
// keeps is.
func (f *Refusals) CountLost(siteID int64) {
	f.waiting.mu.Lock()
	defer f.waiting.mu.Unlock()
	f.waiting.count(siteID, 1)
}

// Run writes what was refused until ctx ends, and then once more.
func (f *Refusals) Run(ctx context.Context, logger *zap.Logger) {
	ticker := time.NewTicker(keepEvery)
	defer ticker.Stop()
	failing := false
	for {
		ended := false
		select {
		case <-ctx.Done():
			ended = true
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
			defer cancel()
		case <-ticker.C:
		}
		err := f.Write(ctx)
		if err != nil && !failing {
			logger.Warn("refused submissions could not be kept", zap.Error(err))
		}
		if failing = err != nil; ended {
			return
		}
	}
}

// Write writes one bundle of what was refused. What could not be written is tried again by the next.
func (f *Refusals) Write(ctx context.Context) error {
	bundle, lost := f.waiting.take()
	if len(bundle) == 0 && len(lost) == 0 {
		return nil
	}
	if _, err := f.write(ctx, bundle, lost); err != nil {
		f.waiting.giveBack(bundle, lost)
		return fmt.Errorf("keeping refused submissions: %w", err)
	}
	return nil
}

// write stores the submissions for which there is room, and returns how many.
func (f *Refusals) write(ctx context.Context, bundle []Refusal, lost map[int64]int) (stored int, err error) {
	// Nodes lock the rows that they share in one order.
	slices.SortStableFunc(bundle, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(a.SiteID, b.SiteID), cmp.Compare(a.Network, b.Network), cmp.Compare(a.Address, b.Address), cmp.Compare(a.Code, b.Code), bytes.Compare(a.Sent, b.Sent))
	})
	digests := make([]string, len(bundle))
	for i := range bundle {
		r := &bundle[i]
		r.Sent = shortened(r.Sent)
		r.URL = clip.Text(r.URL, submission.MaxAddress)
		hash := sha256.New()
		fmt.Fprintf(hash, "%s\x00%s\x00%s\x00%s", r.Address, r.Origin, r.Code, r.Sent)
		digests[i] = base64.RawURLEncoding.EncodeToString(hash.Sum(nil))
		if r.ID, err = f.ids.Next(ctx); err != nil {
			return 0, err
		}
	}
	today := f.today()
	err = f.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		stored = 0 // it may be the second time
		for _, site := range slices.Sorted(maps.Keys(lost)) {
			if err := countLost(ctx, tx, site, today, lost[site]); err != nil {
				return err
			}
		}
		for i, r := range bundle {
			room, err := r.store(ctx, tx, digests[i], today)
			if err != nil {
				return err
			}
			if room {
				stored++
			}
		}
		return nil
	})
	return stored, err
}

// store stores the submission if there is room for it. The very same is counted.
func (r *Refusal) store(ctx context.Context, tx db.Tx, digest string, day int64) (room bool, err error) {
	again, err := tx.Exec(ctx, `UPDATE refused_leads SET at = $3, times = times + $4 WHERE site_id = $1 AND digest = $2`, r.SiteID, digest, r.At.UnixMilli(), r.Times)
	if err != nil || again > 0 {
		return true, err
	}
	if room, err = r.takeRoom(ctx, tx, day); err != nil || !room {
		return false, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO refused_leads (site_id, id, digest, at, times, address, origin, code, reason, sent, region, url,
		visitor_id, visit_id, view_id, lead_id, site_error, forward) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, $16, $17)
		ON CONFLICT (site_id, digest) DO UPDATE SET at = excluded.at, times = refused_leads.times + excluded.times`,
		r.SiteID, r.ID, digest, r.At.UnixMilli(), r.Times, r.Address, r.Origin, r.Code, r.Reason, string(r.Sent), r.Region, r.URL,
		int64(r.Visitor), int64(r.Visit), int64(r.View), r.SiteError, string(r.Forward))
	return true, err
}

// takeRoom counts the bytes of the submission for its site and its network. Where one of the two has no room for them,
// it counts the submission as lost, and room is false.
func (r *Refusal) takeRoom(ctx context.Context, tx db.Tx, day int64) (room bool, err error) {
	size := perRow + len(r.Sent) + len(r.URL) + len(r.Reason) + len(r.Forward)
	const take = `INSERT INTO refused_days (site_id, day, network, bytes, lost) VALUES ($1, $2, $3, $4, 0)
		ON CONFLICT (site_id, day, network) DO UPDATE SET bytes = refused_days.bytes + excluded.bytes WHERE refused_days.bytes + excluded.bytes <= $5`
	taken, err := tx.Exec(ctx, take, r.SiteID, day, "", size, Max)
	if err != nil {
		return false, err
	}
	if taken > 0 && r.Network != "" {
		if taken, err = tx.Exec(ctx, take, r.SiteID, day, r.Network, size, MaxOfNetwork); err == nil && taken == 0 {
			_, err = tx.Exec(ctx, `UPDATE refused_days SET bytes = bytes - $3 WHERE site_id = $1 AND day = $2 AND network = ''`, r.SiteID, day, size)
		}
		if err != nil {
			return false, err
		}
	}
	if taken == 0 {
		return false, countLost(ctx, tx, r.SiteID, day, r.Times)
	}
	return true, nil
}

func countLost(ctx context.Context, tx db.Tx, siteID, day int64, times int) error {
	_, err := tx.Exec(ctx, `INSERT INTO refused_days (site_id, day, network, bytes, lost) VALUES ($1, $2, '', 0, $3)
		ON CONFLICT (site_id, day, network) DO UPDATE SET lost = refused_days.lost + excluded.lost`, siteID, day, times)
	return err
}

// Lost is how many refused submissions of the sites were not kept in the last 30 days, as there was no room for them.
func (f *Refusals) Lost(ctx context.Context, sites scope.Sites) (int, error) {
	lost, _, err := db.One(ctx, f.db.Read(), db.Only[int], `SELECT CAST(COALESCE(SUM(lost), 0) AS BIGINT) FROM refused_days WHERE network = '' AND `+sites.SQL("site_id"))
	if err != nil {
		return 0, fmt.Errorf("counting refused submissions that were not kept: %w", err)
	}
	return lost, nil
}

// today is the day (UTC), counted from 1970.
func (f *Refusals) today() int64 { return db.Day(f.now()) }

// Prune deletes what is older than Memory, and returns how much that was.
func (f *Refusals) Prune(ctx context.Context) (deleted int64, err error) {
	oldest := f.now().Add(-Memory).UnixMilli()
	err = f.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
		if _, err := tx.Exec(ctx, `DELETE FROM refused_days WHERE day < $1 OR day < $2 AND network <> ''`,
			f.today()-int64(Memory/(24*time.Hour)), f.today()-1); err != nil { // clocks of nodes differ
			return err
		}
		deleted, err = tx.Exec(ctx, `DELETE FROM refused_leads WHERE at < $1`, oldest)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("pruning refused submissions: %w", err)
	}
	return deleted, nil
}

package lead

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Anybody can send what is refused, as often as the service answers. So a refused
// submission waits in memory, where it costs its sender's neighbours nothing, and is
// written in bundles, of which there is one at a time and one a second at most.
const (
	keepEvery = time.Second
	// maxWaiting and maxWaitingSize bound what waits, in submissions and bytes.
	maxWaiting     = 512
	maxWaitingSize = 4 << 20
	// maxBundle is how many are written at once. Of one address they are no more than
	// maxWaitingOfAddress.
	maxBundle           = 64
	maxWaitingOfAddress = 16
	// keepTimeout bounds the last write when the service ends.
	keepTimeout = 2 * time.Second
)

// waiting are the refused submissions that have not been written, oldest first.
type waiting struct {
	mu   sync.Mutex
	list []Refused
	size int
}

// add adds one. The oldest give way, first those of the same address.
func (w *waiting) add(r Refused) {
	w.mu.Lock()
	defer w.mu.Unlock()
	same, oldest := 0, -1
	for i := len(w.list) - 1; i >= 0; i-- {
		if w.list[i].SiteID == r.SiteID && w.list[i].Address == r.Address {
			same, oldest = same+1, i
		}
	}
	if same >= maxWaitingOfAddress {
		w.drop(oldest)
	}
	w.list, w.size = append(w.list, r), w.size+len(r.Sent)
	for len(w.list) > maxWaiting || w.size > maxWaitingSize {
		w.drop(0)
	}
}

func (w *waiting) drop(i int) {
	w.size -= len(w.list[i].Sent)
	w.list = slices.Delete(w.list, i, i+1)
}

// take takes the newest maxBundle, and leaves the others.
func (w *waiting) take() []Refused {
	w.mu.Lock()
	defer w.mu.Unlock()
	from := max(0, len(w.list)-maxBundle)
	bundle := slices.Clone(w.list[from:])
	for i := len(w.list) - 1; i >= from; i-- {
		w.drop(i)
	}
	return bundle
}

// Refuse keeps a submission that became no lead. It does not block; the submission is
// in the database about a second later, if [Leads.KeepRefused] runs. Of very many, most
// are lost. Its ID and Times are filled in here.
func (l *Leads) Refuse(r Refused) {
	r.At, r.Times = time.UnixMilli(l.now().UnixMilli()), 1
	l.refused.add(r)
}

// KeepRefused writes what was refused until ctx ends, and then once more.
func (l *Leads) KeepRefused(ctx context.Context, logger *zap.Logger) {
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
		err := l.WriteRefused(ctx)
		if err != nil && !failing {
			logger.Warn("refused submissions could not be kept", zap.Error(err))
		}
		if failing = err != nil; ended {
			return
		}
	}
}

// WriteRefused writes one bundle of what was refused. What could not be written is
// tried again by the next.
func (l *Leads) WriteRefused(ctx context.Context) error {
	bundle := l.refused.take()
	if len(bundle) == 0 {
		return nil
	}
	err := l.writeRefused(ctx, bundle)
	if err != nil {
		for _, r := range bundle {
			l.refused.add(r)
		}
		return fmt.Errorf("keeping refused submissions: %w", err)
	}
	return nil
}

func (l *Leads) writeRefused(ctx context.Context, bundle []Refused) error {
	digests := make([]string, len(bundle))
	for i := range bundle {
		r := &bundle[i]
		r.Sent = shortened(r.Sent)
		r.URL = visit.Clip(r.URL, maxAddress)
		hash := sha256.New()
		fmt.Fprintf(hash, "%s\x00%s\x00%s\x00%s", r.Address, r.Origin, r.Code, r.Sent)
		digests[i] = base64.RawURLEncoding.EncodeToString(hash.Sum(nil))
		var err error
		if r.ID, err = l.refusedIDs.Next(ctx); err != nil {
			return err
		}
	}
	return l.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		type place struct {
			site    int64
			address string
		}
		places, sites := make(map[place]bool), make(map[int64]bool)
		for i, r := range bundle {
			if _, err := tx.Exec(ctx, `INSERT INTO refused_leads (site_id, id, digest, at, times, address, origin, code, reason, sent, region, url,
				visitor_id, session_id, hit_id, lead_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0)
				ON CONFLICT (site_id, digest) DO UPDATE SET at = excluded.at, times = refused_leads.times + excluded.times`,
				r.SiteID, r.ID, digests[i], r.At.UnixMilli(), r.Times, r.Address, r.Origin, r.Code, r.Reason, string(r.Sent), r.Region, r.URL,
				int64(r.Visitor), int64(r.Session), int64(r.Hit)); err != nil {
				return err
			}
			places[place{r.SiteID, r.Address}], sites[r.SiteID] = true, true
		}
		for p := range places {
			if _, err := tx.Exec(ctx, `DELETE FROM refused_leads WHERE site_id = $1 AND address = $2 AND id NOT IN
				(SELECT id FROM refused_leads WHERE site_id = $1 AND address = $2 ORDER BY at DESC, id DESC LIMIT $3)`, p.site, p.address, MaxRefusedOfAddress); err != nil {
				return err
			}
		}
		for site := range sites {
			if _, err := tx.Exec(ctx, `DELETE FROM refused_leads WHERE site_id = $1 AND id NOT IN
				(SELECT id FROM refused_leads WHERE site_id = $1 ORDER BY at DESC, id DESC LIMIT $2)`, site, MaxRefused); err != nil {
				return err
			}
		}
		return nil
	})
}

// PruneRefused deletes what is older than RefusedMemory, and returns how much that was.
func (l *Leads) PruneRefused(ctx context.Context) (deleted int64, err error) {
	oldest := l.now().Add(-RefusedMemory).UnixMilli()
	err = l.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
		deleted, err = tx.Exec(ctx, `DELETE FROM refused_leads WHERE at < $1`, oldest)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("pruning refused submissions: %w", err)
	}
	return deleted, nil
}

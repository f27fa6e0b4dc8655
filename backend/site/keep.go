package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// ErrTaken is returned if another site has the key. Its text may be shown.
var ErrTaken = errors.New("there is a site of this key already")

// ErrRetired is returned for the key of a retired site. It is an [ErrUnknown], because nothing is done for such a site.
var ErrRetired = fmt.Errorf("%w: it is retired", ErrUnknown)

// ErrSuspended is returned for the key of a suspended site. It is an [ErrRetired].
var ErrSuspended = fmt.Errorf("%w: it is suspended", ErrRetired)

// Add adds a site with the key in lower case, as hosts are. The error may be that of [ValidKey], or [ErrTaken] if there
// is a site whose key differs only in case. "by" is as for [Sites.Change].
func (s *Sites) Add(ctx context.Context, key, by string) (Site, error) {
	if err := ValidKey(key); err != nil {
		return Site{}, err
	}
	key = strings.ToLower(key)
	var stored row
	err := s.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		same, _, err := db.One(ctx, tx, db.Only[int], `SELECT COUNT(*) FROM sites WHERE LOWER(key) = $1`, key)
		switch {
		case err != nil:
			return err
		case same > 0:
			return ErrTaken
		}
		if err := s.insert(ctx, tx, []string{key}, by); err != nil {
			return err
		}
		found := make(map[string]row)
		err = find(ctx, tx, []string{key}, found)
		stored = found[key]
		return err
	})
	switch {
	case errors.Is(err, ErrTaken):
		return Site{}, err
	case err != nil:
		return Site{}, fmt.Errorf("adding a site: %w", err)
	}
	return s.remember(ctx, stored), nil
}

// Retire stops everything that is done for the site, or resumes it if retired is false. The pages of a retired site
// pass unchanged on all nodes, even if a configuration names it. Its data stay. The error may be [ErrUnknown]. "by" is
// as for [Sites.Change].
func (s *Sites) Retire(ctx context.Context, id int64, retired bool, by string) (Site, error) {
	kind := Restored
	if retired {
		kind = Retired
	}
	return s.stop(ctx, id, "retired_at", retired, kind, by)
}

// Suspend does the same for whoever hosts the site. A site that is both retired and suspended is served when it is
// neither.
func (s *Sites) Suspend(ctx context.Context, id int64, suspended bool, by string) (Site, error) {
	kind := Resumed
	if suspended {
		kind = Suspended
	}
	return s.stop(ctx, id, "suspended_at", suspended, kind, by)
}

// stop sets the column to the time, or to 0.
func (s *Sites) stop(ctx context.Context, id int64, column string, stopped bool, kind, by string) (Site, error) {
	at := int64(0)
	if stopped {
		at = s.now().UnixMilli()
	}
	data, err := json.Marshal(map[string]string{"by": by})
	if err != nil {
		return Site{}, err
	}
	var stored row
	err = s.db.Attempt(ctx, id, func(ctx context.Context, tx db.Tx) error {
		// The new version lets all nodes notice.
		changed, err := tx.Exec(ctx, `UPDATE sites SET `+column+` = $1, version = version + 1 WHERE id = $2 AND (`+column+` > 0) <> $3`, at, id, stopped)
		if err != nil {
			return err
		}
		found, known, err := db.One(ctx, tx, (*row).fields, `SELECT `+columns+` FROM sites WHERE id = $1`, id)
		switch {
		case err != nil:
			return err
		case !known:
			return ErrUnknown
		}
		stored = found
		if changed == 0 {
			return nil
		}
		tx.Wake(Topic)
		return journal.Append(ctx, tx, journal.Entry{SiteID: id, At: s.now(), Kind: kind, SubjectID: id, Data: data})
	})
	switch {
	case errors.Is(err, ErrUnknown):
		return Site{}, err
	case err != nil:
		return Site{}, fmt.Errorf("stopping a site: %w", err)
	}
	return s.remember(ctx, stored), nil
}

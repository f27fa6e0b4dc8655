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

// ErrTaken is returned for a key that a site has already. Its text may be shown.
var ErrTaken = errors.New("there is a site of this key already")

// ErrRetired is returned for the key of a site that is retired: it is an [ErrUnknown],
// since nothing is done for such a site.
var ErrRetired = fmt.Errorf("%w: it is retired", ErrUnknown)

// Add adds the site of the key, which becomes lower case as hosts are. The error may be
// that of [ValidKey], or [ErrTaken] when there is one whose key differs in case alone.
// "by" is as for [Sites.Change].
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

// Retire ends what is done for the site, or with retired false goes on with it: its
// pages pass untouched on all nodes, whatever configurations name it. What there is of
// it stays. The error may be [ErrUnknown]. "by" is as for [Sites.Change].
func (s *Sites) Retire(ctx context.Context, id int64, retired bool, by string) (Site, error) {
	kind, at := Restored, int64(0)
	if retired {
		kind, at = Retired, s.now().UnixMilli()
	}
	var stored row
	err := s.db.Attempt(ctx, id, func(ctx context.Context, tx db.Tx) error {
		// Another version, by which all nodes hear of it.
		changed, err := tx.Exec(ctx, `UPDATE sites SET retired_at = $1, version = version + 1 WHERE id = $2 AND (retired_at > 0) <> $3`, at, id, retired)
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
		data, err := json.Marshal(map[string]string{"by": by})
		if err != nil {
			return err
		}
		tx.Wake(Topic)
		return journal.Append(ctx, tx, journal.Entry{SiteID: id, At: s.now(), Kind: kind, SubjectID: id, Data: data})
	})
	switch {
	case errors.Is(err, ErrUnknown):
		return Site{}, err
	case err != nil:
		return Site{}, fmt.Errorf("retiring a site: %w", err)
	}
	return s.remember(ctx, stored), nil
}

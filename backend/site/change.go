package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// Change stores the settings of the site and returns the changed site. The caller has seen the given version. A setting
// that is nil is no longer set. Settings that only a newer program knows or accepts stay. Settings that do not differ
// make no new version.
//
// The error may be an [Invalid], [ErrUnknown], or [ErrChanged] if the version is not the stored one; then nothing has
// changed. "by" names who does it for the journal, such as the login of an operator.
func (s *Sites) Change(ctx context.Context, key string, version int64, settings Settings, by string) (Site, error) {
	if err := settings.Check(); err != nil {
		return Site{}, err
	}
	site, err := s.ByKey(ctx, key)
	if err != nil {
		return Site{}, err
	}
	var stored row
	// All nodes write the rows of one site under its id.
	err = s.db.Attempt(ctx, site.ID, func(ctx context.Context, tx db.Tx) (err error) {
		stored, err = s.change(ctx, tx, key, version, settings, by)
		return err
	})
	var wrong *number.FieldError
	switch {
	case errors.Is(err, ErrChanged), errors.Is(err, ErrUnknown):
		return Site{}, err
	case errors.As(err, &wrong):
		return Site{}, &Invalid{"pools", wrong}
	case err != nil:
		return Site{}, fmt.Errorf("changing the settings of a site: %w", err)
	}
	return s.remember(ctx, stored), nil
}

func (s *Sites) change(ctx context.Context, tx db.Tx, key string, version int64, settings Settings, by string) (row, error) {
	found := make(map[string]row)
	if err := find(ctx, tx, []string{key}, found); err != nil {
		return row{}, err
	}
	site, known := found[key]
	switch {
	case !known:
		return row{}, ErrUnknown
	case site.Version != version:
		return row{}, ErrChanged
	}
	stored, err := fieldsOf(site.Settings)
	if err != nil {
		stored = fields{} // nothing in it can be kept
	}
	before, _ := stored.settings()
	changed, err := stored.apply(settings)
	if err != nil || len(changed) == 0 {
		return site, err
	}
	text, err := json.Marshal(stored)
	if err != nil {
		return row{}, err
	}
	site.Settings, site.Version = string(text), version+1
	updated, err := tx.Exec(ctx, `UPDATE sites SET settings = $1, version = $2 WHERE id = $3 AND version = $4`, site.Settings, site.Version, site.ID, version)
	if err != nil {
		return row{}, err
	}
	if updated == 0 { // another node was first
		return row{}, ErrChanged
	}
	said := map[string]any{"by": by, "from": version, "to": site.Version, "settings": changed}
	if _, numbers := changed["numbers"]; numbers || changed["pools"] != nil {
		for _, keep := range s.keepOwn {
			if err := keep(ctx, tx, site.ID, settings.Own()); err != nil {
				return row{}, err
			}
		}
		said["numbers"], said["pools"] = settings.Own().Since(before.Own())
	}
	data, err := json.Marshal(said)
	if err != nil {
		return row{}, err
	}
	tx.Wake(Topic)
	return site, journal.Append(ctx, tx, journal.Entry{SiteID: site.ID, At: s.now(), Kind: Changed, SubjectID: site.ID, Data: data})
}

// Put gives the site of the key these settings in a transaction, and adds it if there is none. [ValidKey] and
// [Settings.Check] have accepted them. [Sites.Refresh] learns the site. The error may be an [Invalid], [ErrArriving], or
// [ErrTaken] if there is a site whose key differs only in case, or of this key while over is false.
func (s *Sites) Put(ctx context.Context, tx db.Tx, key string, settings Settings, over bool, by string) (id int64, err error) {
	same, err := db.List(ctx, tx, (*row).fields, `SELECT `+columns+` FROM sites WHERE LOWER(key) = LOWER($1)`, key)
	at := slices.IndexFunc(same, func(r row) bool { return r.Key == key })
	switch {
	case err != nil:
		return 0, err
	case slices.ContainsFunc(same, func(r row) bool { return r.ArrivingAt != 0 }):
		return 0, ErrArriving
	case len(same) > 0 && (!over || at < 0):
		return 0, ErrTaken
	case at < 0:
		if err := s.insert(ctx, tx, []string{key}, by); err != nil {
			return 0, err
		}
		found := make(map[string]row)
		if err := find(ctx, tx, []string{key}, found); err != nil {
			return 0, err
		}
		same, at = []row{found[key]}, 0
	}
	site, err := s.change(ctx, tx, key, same[at].Version, settings, by)
	if wrong := (*number.FieldError)(nil); errors.As(err, &wrong) {
		return 0, &Invalid{"pools", wrong}
	}
	return site.ID, err
}

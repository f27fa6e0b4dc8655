// Package link keeps links to reports for people without an account: each opens one report of one site until it ends. The
// console asks it.
package link

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/pace"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Kinds of the journal's entries about links. Their data is {"by", "name"}.
const (
	Made  = "site.report_link_made"
	Ended = "site.report_link_ended"
)

// Bounds of links.
const (
	// Max limits the links of a site that have not ended.
	Max = 100
	// MinDays and MaxDays limit for how long a link opens.
	MinDays = 1
	MaxDays = 365
	// keptFor is how long a link that has ended is kept, so that its address says so.
	keptFor = 90 * 24 * time.Hour
	// usedEvery is how exactly it is kept when a link was used last.
	usedEvery = time.Minute
)

// Mistakes of those who make links, and of those who open them.
var (
	ErrUnknown = errors.New("there is no such link")
	ErrEnded   = errors.New("this link has ended")
	ErrDays    = fmt.Errorf("a link lasts %d to %d days", MinDays, MaxDays)
	ErrMany    = fmt.Errorf("a site has at most %d links", Max)
)

// Link opens a report for whoever has its token.
type Link struct {
	SiteID, ID int64
	// Name is what the report is called, for all who open it.
	Name string
	// Query is what is asked, as the address of the report has it.
	Query string
	// By is the login of who has made it.
	By             string
	MadeAt, EndsAt time.Time
	// UsedAt is when somebody opened it last, to the minute; zero if nobody has.
	UsedAt time.Time
}

// Links keeps the links of all sites. It is safe for concurrent use.
type Links struct {
	db  *db.DB
	now func() time.Time
	ids *db.Sequence
	guesses
}

// New returns the links of the database.
func New(d *db.DB, now func() time.Time) *Links {
	return &Links{db: d, now: now, ids: d.Sequence("report_links", 1), guesses: guesses{networks: pace.NewByNetwork(30, 10*time.Second)}}
}

const columns = `SELECT site_id, id, name, query, made_by, made_at, ends_at, used_at FROM report_links`

type row struct {
	Link
	made, ends, used int64
}

func (r *row) fields() []any {
	return []any{&r.SiteID, &r.ID, &r.Name, &r.Query, &r.By, &r.made, &r.ends, &r.used}
}

func read(ctx context.Context, from db.Queries, rest string, args ...any) ([]Link, error) {
	rows, err := db.List(ctx, from, (*row).fields, columns+rest, args...)
	if err != nil {
		return nil, fmt.Errorf("reading links to reports: %w", err)
	}
	list := make([]Link, len(rows))
	for i, r := range rows {
		list[i], list[i].MadeAt, list[i].EndsAt = r.Link, time.UnixMilli(r.made), time.UnixMilli(r.ends)
		if r.used != 0 {
			list[i].UsedAt = time.UnixMilli(r.used)
		}
	}
	return list, nil
}

// Of returns the links of the sites that have not ended, the latest first, and at most limit.
func (s *Links) Of(ctx context.Context, sites scope.Sites, limit int) ([]Link, error) {
	return read(ctx, s.db.Read(), ` WHERE ends_at > $1 AND `+sites.SQL("site_id")+` ORDER BY made_at DESC, id DESC LIMIT $2`, s.now().UnixMilli(), limit)
}

// Make makes a link that lasts so many days, and returns it with its token, which is kept nowhere. The error may be
// [saved.ErrName], [saved.ErrQuery], [ErrDays] or [ErrMany].
func (s *Links) Make(ctx context.Context, l Link, days int) (made Link, token string, err error) {
	if l.Name, err = saved.CheckName(l.Name); err != nil {
		return l, "", err
	}
	switch {
	case len(l.Query) > saved.MaxQuery:
		return l, "", saved.ErrQuery
	case days < MinDays || days > MaxDays:
		return l, "", ErrDays
	}
	if l.ID, err = s.ids.Next(ctx); err != nil {
		return l, "", err
	}
	token = strconv.FormatInt(l.SiteID, 10) + "-" + rand.Text()
	hash, now := hashed(token), s.now()
	l.MadeAt, l.EndsAt = now, now.AddDate(0, 0, days)
	entry, err := entryOf(Made, l.By, l, now)
	if err != nil {
		return l, "", err
	}
	return l, token, s.db.Attempt(ctx, l.SiteID, func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM report_links WHERE site_id = $1 AND ends_at < $2`, l.SiteID, now.Add(-keptFor).UnixMilli()); err != nil {
			return fmt.Errorf("making a link to a report: %w", err)
		}
		open, _, err := db.One(ctx, tx, db.Only[int], `SELECT COUNT(*) FROM report_links WHERE site_id = $1 AND ends_at > $2`, l.SiteID, now.UnixMilli())
		if err != nil {
			return fmt.Errorf("making a link to a report: %w", err)
		}
		if open >= Max {
			return ErrMany
		}
		if _, err := tx.Exec(ctx, `INSERT INTO report_links (site_id, id, token, name, query, made_by, made_at, ends_at, used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)`,
			l.SiteID, l.ID, hash, l.Name, l.Query, l.By, l.MadeAt.UnixMilli(), l.EndsAt.UnixMilli()); err != nil {
			return fmt.Errorf("making a link to a report: %w", err)
		}
		return journal.Append(ctx, tx, entry)
	})
}

// Open returns the link of the token, and keeps that it was used. The error may be [ErrUnknown] or [ErrEnded].
func (s *Links) Open(ctx context.Context, token string) (Link, error) {
	site, _, _ := strings.Cut(token, "-")
	siteID, err := strconv.ParseInt(site, 10, 64)
	if err != nil || len(token) > 64 {
		return Link{}, ErrUnknown
	}
	found, err := read(ctx, s.db.Read(), ` WHERE site_id = $1 AND token = $2`, siteID, hashed(token))
	now := s.now()
	switch {
	case err != nil:
		return Link{}, err
	case len(found) == 0:
		return Link{}, ErrUnknown
	case !found[0].EndsAt.After(now):
		return Link{}, ErrEnded
	case now.Sub(found[0].UsedAt) < usedEvery:
		return found[0], nil
	}
	err = s.db.Write(ctx, siteID, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE report_links SET used_at = $1 WHERE site_id = $2 AND id = $3`, now.UnixMilli(), siteID, found[0].ID)
		return err
	})
	if err != nil {
		return Link{}, fmt.Errorf("keeping that a link was used: %w", err)
	}
	return found[0], nil
}

// End ends the link of the site, or returns [ErrUnknown] for one that is not open.
func (s *Links) End(ctx context.Context, by string, siteID, id int64) error {
	now := s.now()
	found, err := read(ctx, s.db.Read(), ` WHERE site_id = $1 AND id = $2`, siteID, id)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return ErrUnknown
	}
	entry, err := entryOf(Ended, by, found[0], now)
	if err != nil {
		return err
	}
	return s.db.Attempt(ctx, siteID, func(ctx context.Context, tx db.Tx) error {
		ended, err := tx.Exec(ctx, `UPDATE report_links SET ends_at = $1 WHERE site_id = $2 AND id = $3 AND ends_at > $1`, now.UnixMilli(), siteID, id)
		if err != nil {
			return fmt.Errorf("ending a link to a report: %w", err)
		}
		if ended == 0 {
			return ErrUnknown
		}
		return journal.Append(ctx, tx, entry)
	})
}

// entryOf is the journal's entry of what was done with the link.
func entryOf(kind, by string, l Link, at time.Time) (journal.Entry, error) {
	data, err := json.Marshal(map[string]string{"by": by, "name": l.Name})
	return journal.Entry{SiteID: l.SiteID, At: at, Kind: kind, SubjectID: l.ID, Data: data}, err
}

// hashed is how a token is stored: a look at the table opens nothing.
func hashed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

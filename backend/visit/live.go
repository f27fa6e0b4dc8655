package visit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// LiveVisit is a session of somebody who is on a site now.
type LiveVisit struct {
	SiteID int64
	Ref    // of the last page view
	// URL and Title are those of the page that is looked at.
	URL, Title string
	// Path are the last pages of the session, oldest first, eight at most.
	Path []Page
	// Hits counts the page views of the session.
	Hits                int
	StartedAt, LastAt   time.Time
	Source              Source
	UserAgent, Language string
	// Name, Email and Phone are what is known of the visitor, the latest of
	// each; they may be empty.
	Name, Email, Phone string
}

// Page is a page view in a list.
type Page struct {
	ID         ID
	At         time.Time
	Kind       string
	URL, Title string
}

type sessionRow struct {
	SiteID    int64
	ID        int64
	VisitorID int64
	StartedAt int64
	LastAt    int64
	Hits      int
	HitID     int64
	Recent    recent
	Bot       bool
	UserAgent string
	Language  string
	Source    string
}

const sessionColumns = `s.site_id, s.id, s.visitor_id, s.started_at, s.last_at, s.hits, s.hit_id, s.recent, s.bot, s.user_agent, s.language, s.source`

type hitRow struct {
	SiteID    int64
	ID        int64
	SessionID int64
	At        int64
	Kind      string
	URL       string
	Title     string
}

func (v *Visits) page(h hitRow) Page {
	return Page{ID: v.hits.id(h.ID), At: time.UnixMilli(h.At), Kind: h.Kind, URL: h.URL, Title: h.Title}
}

// Live returns who is on the sites: the latest session of each person, not bot,
// that had a page view or an event since then, the latest first, limit at most.
func (v *Visits) Live(ctx context.Context, since time.Time, limit int) ([]LiveVisit, error) {
	var sessions []sessionRow
	err := v.db.Read().NewRaw(`SELECT `+sessionColumns+` FROM sessions AS s
		JOIN visitors AS v ON v.site_id = s.site_id AND v.id = s.visitor_id AND v.session_id = s.id
		WHERE s.last_at >= ? AND NOT s.bot ORDER BY s.last_at DESC, s.id DESC LIMIT ?`, since.UnixMilli(), limit).Scan(ctx, &sessions)
	if err != nil {
		return nil, fmt.Errorf("reading live visits: %w", err)
	}
	if len(sessions) == 0 {
		return nil, nil
	}
	paths, err := v.paths(ctx, sessions)
	if err != nil {
		return nil, fmt.Errorf("reading live visits: %w", err)
	}
	people, err := v.people(ctx, sessions)
	if err != nil {
		return nil, fmt.Errorf("reading live visits: %w", err)
	}
	visits := make([]LiveVisit, len(sessions))
	for i, s := range sessions {
		who := people[place{s.SiteID, s.VisitorID}]
		visits[i] = LiveVisit{
			SiteID: s.SiteID, Ref: v.ref(row{s.VisitorID, s.ID, s.HitID}),
			Path: paths[place{s.SiteID, s.ID}], Hits: s.Hits, StartedAt: time.UnixMilli(s.StartedAt), LastAt: time.UnixMilli(s.LastAt),
			Source: storedSource(s.Source), UserAgent: s.UserAgent, Language: s.Language,
			Name: who.name, Email: who.email, Phone: who.phone,
		}
		if path := visits[i].Path; len(path) > 0 {
			visits[i].URL, visits[i].Title = path[len(path)-1].URL, path[len(path)-1].Title
		}
	}
	return visits, nil
}

// place is a row of a site.
type place struct{ site, id int64 }

// paths are the pages that the sessions remember as their last.
func (v *Visits) paths(ctx context.Context, sessions []sessionRow) (map[place][]Page, error) {
	wanted := make(map[int64][]string) // per site, pairs of a session and a hit
	for _, s := range sessions {
		for hit := range s.Recent.hits() {
			wanted[s.SiteID] = append(wanted[s.SiteID], fmt.Sprintf("(%d, %d)", s.ID, hit))
		}
	}
	paths := make(map[place][]Page, len(sessions))
	for site, pairs := range wanted {
		var hits []hitRow
		err := v.db.Read().NewRaw(`SELECT site_id, id, session_id, at, kind, url, title FROM hits
			WHERE site_id = ? AND (session_id, id) IN (VALUES `+strings.Join(pairs, ", ")+`) ORDER BY at, id`, site).Scan(ctx, &hits)
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			at := place{h.SiteID, h.SessionID}
			paths[at] = append(paths[at], v.page(h))
		}
	}
	return paths, nil
}

type person struct{ name, email, phone string }

func (v *Visits) people(ctx context.Context, sessions []sessionRow) (map[place]person, error) {
	people := make(map[place]person, len(sessions))
	for site, ids := range bySite(sessions, func(s sessionRow) int64 { return s.VisitorID }) {
		var known []struct {
			VisitorID     int64
			Kind, Written string
			At            int64
		}
		err := v.db.Read().NewRaw(`SELECT id AS visitor_id, 'name' AS kind, name AS written, 0 AS at FROM visitors WHERE site_id = ?0 AND id IN (?1) AND name <> ''
			UNION ALL SELECT visitor_id, kind, written, at FROM contacts WHERE site_id = ?0 AND visitor_id IN (?1) ORDER BY at`,
			site, bun.List(ids)).Scan(ctx, &known)
		if err != nil {
			return nil, err
		}
		for _, k := range known {
			at := place{site, k.VisitorID}
			who := people[at]
			switch k.Kind {
			case "name":
				who.name = k.Written
			case "email":
				who.email = k.Written
			case "phone":
				who.phone = k.Written
			}
			people[at] = who
		}
	}
	return people, nil
}

func bySite(sessions []sessionRow, id func(sessionRow) int64) map[int64][]int64 {
	ids := make(map[int64][]int64)
	for _, s := range sessions {
		ids[s.SiteID] = append(ids[s.SiteID], id(s))
	}
	return ids
}

// SourceOf is the source of the session; ErrUnknown when there is none such.
func (v *Visits) SourceOf(ctx context.Context, siteID int64, session ID) (Source, error) {
	var sources []string
	err := v.db.Read().NewRaw(`SELECT source FROM sessions WHERE site_id = ? AND id = ?`, siteID, v.sessions.number(session)).Scan(ctx, &sources)
	if err != nil {
		return Source{}, fmt.Errorf("reading a source: %w", err)
	}
	if len(sources) == 0 {
		return Source{}, ErrUnknown
	}
	return storedSource(sources[0]), nil
}

func storedSource(text string) Source {
	s := Source{Kind: Direct}
	json.Unmarshal([]byte(text), &s) // written by this package
	return s
}

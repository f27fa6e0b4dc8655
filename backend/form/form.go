// Package form knows which forms the visitors of a site send: the names of their fields, and how the site has answered
// them. It stores nothing that people have written. The edge notes the forms, and the console lists them.
package form

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

const (
	// MaxForms bounds the forms of a site. Further forms are not listed until others have not been sent for DaysKept.
	MaxForms = 200
	// DaysKept is how many days the answers to a form are kept.
	DaysKept = 30
	// maxFields and maxName bound the names of a form's fields: their number, and the length of each in bytes.
	maxFields, maxName = 60, 80
	// MaxPath bounds the length of a path, in bytes. Forms with longer paths are not listed.
	MaxPath = 300
	// readAgain is how long the names of a form's fields are valid.
	readAgain = time.Hour
	// maxSites bounds the sites whose read forms are remembered.
	maxSites = 1 << 12
)

// Form is a form that is sent to a path.
type Form struct {
	SiteID int64
	// Path is the path of the request. Segments that number something are *.
	Path string
	// Fields are the names of the fields.
	Fields []string
	// Times is how often the form came in the last DaysKept days. Errors is how often the site answered with a status
	// of 400 or more.
	Times, Errors int
	// LastAt is when the form came last, to some seconds.
	LastAt time.Time
}

// Answer is how a site has answered a form.
type Answer struct {
	Path   string
	Status int
	// Fields are the names of the fields, if they were read now.
	Fields []string
	// Kept says that the form would have been a lead. If the site has failed, and not because of what was sent, that is an
	// incident.
	Kept bool
}

// Forms keeps the forms of all sites. It is safe for concurrent use.
type Forms struct {
	db  *db.DB
	now func() time.Time

	mu    sync.Mutex
	tally map[key]*count
	read  map[int64]map[string]time.Time // by site and path
}

type key struct {
	site int64
	path string
}

// count is what is known about a form and is not stored yet.
type count struct {
	fields  []string
	at      int64
	answers map[int]int64 // by status
	failed  int           // the last error for a form that is kept; 0 for none
	works   bool          // the last form that is kept was answered without an error
}

// New returns the forms of the database.
func New(d *db.DB, now func() time.Time) *Forms {
	return &Forms{db: d, now: now, read: make(map[int64]map[string]time.Time), tally: make(map[key]*count)}
}

// Known says whether the names of the form's fields are known and need not be read again now.
func (f *Forms) Known(siteID int64, path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now().Sub(f.read[siteID][path]) < readAgain
}

// Note notes how the site has answered a form. It does not wait: [Forms.Store] stores it.
func (f *Forms) Note(siteID int64, a Answer) {
	if len(a.Path) > MaxPath {
		return
	}
	now, k := f.now(), key{siteID, a.Path}
	f.mu.Lock()
	defer f.mu.Unlock()
	if a.Fields != nil && !f.remember(k, now) {
		return
	}
	if _, listed := f.read[siteID][a.Path]; !listed {
		return
	}
	c := f.tally[k]
	if c == nil {
		c = &count{answers: make(map[int]int64)}
		f.tally[k] = c
	}
	if a.Fields != nil {
		c.fields = bounded(a.Fields)
	}
	c.at = now.UnixMilli()
	c.answers[a.Status]++
	if a.Kept {
		if c.works = a.Status < 400; !c.works && !ofSender(a.Status) {
			c.failed = a.Status
		}
	}
}

// ofSender says whether a status blames what was sent, or how often (RFC 9110, RFC 6585). A form that answers so works,
// and one sender alone does not tell of more.
func ofSender(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusTooManyRequests:
		return true
	}
	return false
}

// remember notes that the fields of a form have been read. It does nothing while the site has as many other forms as
// can be listed.
func (f *Forms) remember(k key, now time.Time) bool {
	if len(f.read) >= maxSites {
		clear(f.read)
	}
	of := f.read[k.site]
	if of == nil {
		of = make(map[string]time.Time)
		f.read[k.site] = of
	}
	if _, listed := of[k.path]; !listed && len(of) >= MaxForms {
		maps.DeleteFunc(of, func(_ string, at time.Time) bool { return now.Sub(at) >= readAgain })
		if len(of) >= MaxForms {
			return false
		}
	}
	of[k.path] = now
	return true
}

// bounded returns the names that are kept. It leaves out names that may be what somebody has written.
func bounded(names []string) []string {
	kept := []string{}
	seen := make(map[string]bool)
	for _, name := range names {
		if len(kept) == maxFields {
			break
		}
		if name == "" || seen[name] || len(name) > maxName || strings.ContainsAny(name, "@+ \r\n\t,;<>\"") || digits(name) > 5 {
			continue
		}
		seen[name] = true
		kept = append(kept, name)
	}
	return kept
}

func digits(s string) (n int) {
	for _, r := range s {
		if '0' <= r && r <= '9' {
			n++
		}
	}
	return n
}

// PathOf returns the path under which a form is listed. Segments that number something, or that may be secret, become
// *. So a form of many products is one form, and a rule for the path matches all of them.
func PathOf(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if digits(segment) == len(segment) && segment != "" || digits(segment) > 5 || len(segment) > 60 || strings.ContainsAny(segment, "@*") {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}

// List returns the forms of the sites that came in the last DaysKept days, the latest first.
func (f *Forms) List(ctx context.Context, sites scope.Sites) ([]Form, error) {
	type row struct {
		Form
		fields string
		at     int64
	}
	rows, err := db.List(ctx, f.db.Read(), func(r *row) []any { return []any{&r.SiteID, &r.Path, &r.fields, &r.at, &r.Times, &r.Errors} },
		`SELECT f.site_id, f.path, f.fields, f.at, CAST(COALESCE(SUM(a.times), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN a.status >= 400 THEN a.times ELSE 0 END), 0) AS BIGINT)
		FROM forms AS f LEFT JOIN form_answers AS a ON a.site_id = f.site_id AND a.path = f.path AND a.day > $1
		WHERE f.at > $2 AND `+sites.SQL("f.site_id")+` GROUP BY f.site_id, f.path, f.fields, f.at ORDER BY f.at DESC, f.path LIMIT 1000`,
		f.today()-DaysKept, f.now().AddDate(0, 0, -DaysKept).UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("reading the forms of sites: %w", err)
	}
	forms := make([]Form, len(rows))
	for i, r := range rows {
		if r.fields != "" { // another node has just forgotten the form
			if err := json.Unmarshal([]byte(r.fields), &r.Fields); err != nil {
				return nil, fmt.Errorf("reading the forms of sites: %w", err)
			}
		}
		r.LastAt = time.UnixMilli(r.at)
		forms[i] = r.Form
	}
	return forms, nil
}

// Failing is a form that a site answers with an error.
type Failing struct {
	SiteID int64
	Path   string
	Status int
	Times  int
}

// FailingOf returns the forms of the sites that failed today (UTC), the most frequent first. kept says whether a form
// with a path is kept; others are left out.
func (f *Forms) FailingOf(ctx context.Context, sites scope.Sites, kept func(siteID int64, path string) bool) ([]Failing, error) {
	rows, err := db.List(ctx, f.db.Read(), func(r *Failing) []any { return []any{&r.SiteID, &r.Path, &r.Status, &r.Times} },
		`SELECT site_id, path, status, times FROM form_answers WHERE day = $1 AND status >= 400 AND `+sites.SQL("site_id")+` ORDER BY times DESC, path LIMIT 1000`, f.today())
	if err != nil {
		return nil, fmt.Errorf("reading which forms fail: %w", err)
	}
	failing := rows[:0]
	for _, r := range rows {
		if kept(r.SiteID, r.Path) {
			failing = append(failing, r)
		}
	}
	return failing, nil
}

const day = 24 * int64(time.Hour/time.Millisecond)

func (f *Forms) today() int64 { return db.Day(f.now()) }

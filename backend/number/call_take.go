package number

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Holders knows who has had a number of a pool.
type Holders interface {
	// Of returns the leases of the number that were valid at the time or ended within a day before. The one that began
	// last comes first.
	Of(ctx context.Context, from db.Queries, digits string, at time.Time) ([]Lease, error)
}

// Calls stores the telephone calls of all sites and attributes them to visitors. It is safe for concurrent use, on any
// number of nodes.
type Calls struct {
	db      *db.DB
	visits  *visit.Visits
	holders Holders
	now     func() time.Time
	ids     *db.Sequence
}

// NewCalls returns the calls of the database.
func NewCalls(d *db.DB, visits *visit.Visits, holders Holders, now func() time.Time) *Calls {
	return &Calls{db: d, visits: visits, holders: holders, now: now, ids: d.Sequence("number.calls", 256)}
}

// News says what was new in an event of a call.
type News string

// The news.
const (
	Fresh    News = "new"      // the call was not known
	More     News = "more"     // the call was known, and this was not
	Repeated News = "repeated" // nothing was new
)

// Take adds the event to its call. It returns when the call is stored. Events of one call may come in any order, again,
// and to several nodes at once.
func (c *Calls) Take(ctx context.Context, e telephony.Event) (Call, News, error) {
	id, err := c.ids.Next(ctx)
	if err != nil {
		return Call{}, "", fmt.Errorf("taking a call: %w", err)
	}
	hash := fnv.New64a()
	hash.Write([]byte(e.Platform + " " + e.Call))
	var call Call
	var news News
	err = c.db.WriteOwn(ctx, int64(hash.Sum64()), func(ctx context.Context, tx db.Tx) error {
		call, news = Call{}, Repeated
		before, err := stored(ctx, tx, e, id)
		if err != nil {
			return err
		}
		call = before.With(e, c.now())
		call.ID = id
		if before.ID != 0 {
			call.ID = before.ID
		}
		if before.Called != call.Called || before.Caller != call.Caller || !before.StartedAt.Equal(call.StartedAt) {
			if call.SiteID, call.Finding, err = c.find(ctx, tx, &call); err != nil {
				return err
			}
		}
		if call.same(before) {
			return nil
		}
		if news = More; before.ID == 0 {
			news = Fresh
		}
		if err := call.store(ctx, tx, before); err != nil {
			return err
		}
		data, err := json.Marshal(struct {
			Event    telephony.Kind `json:"event"`
			Platform string         `json:"platform"`
		}{e.Kind, e.Platform})
		if err != nil {
			return err
		}
		return journal.Append(ctx, tx, journal.Entry{
			SiteID: call.SiteID, At: call.ToldAt, Kind: Told, SubjectID: call.ID, VisitorID: int64(call.Visitor), Data: data,
		})
	})
	if err != nil {
		return Call{}, "", fmt.Errorf("taking a call: %w", err)
	}
	return call, news, nil
}

// stored returns the stored call of the event. If there is none, it returns the zero Call, and reserves the id for the
// call. Other writers of the call wait until the transaction ends.
func stored(ctx context.Context, tx db.Tx, e telephony.Event, id int64) (Call, error) {
	type place struct{ site, id int64 }
	at, _, err := db.One(ctx, tx, func(p *place) []any { return []any{&p.site, &p.id} },
		`INSERT INTO call_places (platform, call_id, site_id, id) VALUES ($1, $2, 0, $3)
			ON CONFLICT (platform, call_id) DO UPDATE SET call_id = excluded.call_id RETURNING site_id, id`, e.Platform, e.Call, id)
	if err != nil || at.id == id {
		return Call{}, err
	}
	row, _, err := db.One(ctx, tx, (*callRow).fields, `SELECT `+callColumns+` FROM calls WHERE site_id = $1 AND id = $2`, at.site, at.id)
	if err != nil {
		return Call{}, err
	}
	before := row.call()
	before.ID = at.id // even if the call has been erased
	return before, nil
}

// store writes the call in the place of the call before.
func (c *Call) store(ctx context.Context, tx db.Tx, before Call) error {
	if before.SiteID != c.SiteID || before.Platform == "" {
		if before.Platform != "" {
			if _, err := tx.Exec(ctx, `DELETE FROM calls WHERE site_id = $1 AND id = $2`, before.SiteID, before.ID); err != nil {
				return err
			}
		}
		if c.SiteID != 0 {
			if _, err := tx.Exec(ctx, `UPDATE call_places SET site_id = $3 WHERE platform = $1 AND call_id = $2`, c.Platform, c.PlatformID, c.SiteID); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `INSERT INTO calls (`+callColumns+`) VALUES (`+callMarks+`)`, c.values()...)
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE calls SET (`+callColumns+`) = (`+callMarks+`) WHERE site_id = $1 AND id = $2`, c.values()...)
	return err
}

const (
	// maxAcquaintances bounds the visitors of a site who are known by the caller's number.
	maxAcquaintances = 20
	// maxStandings bounds the sites that have the called number.
	maxStandings = 20
)

// endOfSecond returns the end of the second if the time has no fraction, and otherwise the time. Some platforms cut
// times to whole seconds, and a number may have been leased within the second.
func endOfSecond(at time.Time) time.Time {
	if at.Nanosecond() != 0 {
		return at
	}
	return at.Add(time.Second - time.Millisecond)
}

// find attributes the call.
func (c *Calls) find(ctx context.Context, tx db.Tx, call *Call) (site int64, found Finding, err error) {
	e := evidence{called: call.Called, at: endOfSecond(call.StartedAt)}
	if call.Called != "" {
		if e.leases, err = c.holders.Of(ctx, tx, call.Called, e.at); err != nil {
			return 0, Finding{}, err
		}
		if e.standings, err = standings(ctx, tx, call.Called); err != nil {
			return 0, Finding{}, err
		}
	}
	if call.Caller != "" {
		for _, site := range e.sites() {
			known, err := c.acquaintances(ctx, tx, site, call)
			if err != nil {
				return 0, Finding{}, err
			}
			e.acquaintances = append(e.acquaintances, known...)
		}
	}
	site, found = e.find()
	if found.Session != 0 {
		if found.Source, err = c.visits.SourceOfTx(ctx, tx, site, found.Session); err != nil {
			return 0, Finding{}, err
		}
	}
	return site, found, nil
}

// sites returns the sites that the call may be for.
func (e evidence) sites() (sites []int64) {
	for _, l := range e.leases {
		sites = append(sites, l.Site)
	}
	for _, s := range e.standings {
		sites = append(sites, s.site)
	}
	var each []int64
	for _, site := range sites {
		if !slices.Contains(each, site) {
			each = append(each, site)
		}
	}
	return each
}

// standings returns the sites' numbers with the digits. Numbers in use come first, and then tracking numbers, which
// tell more than printed ones.
func standings(ctx context.Context, from db.Queries, digits string) ([]standing, error) {
	list, err := db.List(ctx, from, func(s *standing) []any { return []any{&s.site, &s.replaces, &s.pooled, &s.conditions} },
		`SELECT d.site_id, CASE WHEN d.replaces = '' THEN d.digits ELSE d.replaces END,
				d.replaces <> '' AND EXISTS (SELECT 1 FROM pool_numbers p WHERE p.digits = d.digits),
				COALESCE((SELECT MAX(n.conditions) FROM number_declarations n WHERE n.site_id = d.site_id AND n.digits = d.digits AND n.replaces = d.replaces), '')
			FROM declared_numbers d WHERE d.digits = $1
			ORDER BY CASE WHEN d.retired_at = 0 THEN 0 ELSE 1 END, CASE WHEN d.replaces = '' THEN 1 ELSE 0 END, d.retired_at DESC, d.first_at, d.site_id LIMIT $2`,
		digits, maxStandings)
	if err != nil {
		return nil, fmt.Errorf("finding the sites of a number: %w", err)
	}
	return list, nil
}

// acquaintances returns the visitors of the site who are known by the caller's number: from an earlier call, or because
// they have left it on the site. Earlier calls count only if their attribution is sure.
func (c *Calls) acquaintances(ctx context.Context, tx db.Tx, site int64, call *Call) (list []acquaintance, err error) {
	list, err = db.List(ctx, tx, func(a *acquaintance) []any { return []any{&a.site, &a.visitor, &a.session, &a.called} },
		`SELECT site_id, visitor_id, session_id, called FROM calls WHERE site_id = $1 AND caller = $2 AND caller <> '' AND started_at < $3 AND visitor_id <> 0 AND confidence = 'high'
			ORDER BY started_at DESC, id DESC LIMIT $4`, site, call.Caller, call.StartedAt.UnixMilli(), maxAcquaintances)
	if err != nil {
		return nil, fmt.Errorf("finding earlier calls: %w", err)
	}
	left, err := c.visits.OfPhone(ctx, tx, site, call.Caller, maxAcquaintances)
	if err != nil {
		return nil, err
	}
	for _, v := range left {
		list = append(list, acquaintance{site: site, visitor: v.Visitor, session: v.Session})
	}
	return list, nil
}

package visit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// View is a page view as the script reports it.
type Arrival struct {
	// Nonce is made by the script for this view. A second report with the same nonce is the same view.
	Nonce string
	// Served is the nonce under which the view was stored when its page was sent, or "". The first report that names it
	// is about that view. A later one comes from a cached page, and is a view of its own.
	Served string
	// URL and Referrer are absolute addresses. Referrer may be empty.
	URL, Referrer string
	Title         string
	// Kind is load, history, restore or reinit.
	Kind string
	// UserAgent and Language are the browser's headers.
	UserAgent, Language string
}

// Size is how many bytes of texts it has.
func (v Arrival) Size() int { return len(v.URL) + len(v.Referrer) + len(v.Title) }

// View is a stored page view.
type View struct {
	Ref
	// NewVisitor and NewVisit say what began with this report. Repeated says that the view was reported before; then
	// nothing began.
	NewVisitor, NewVisit, Repeated bool
	// Marked says that the visitor has, or had, properties.
	Marked bool
	// Bot says that the user agent is that of a program.
	Bot bool
	// At is when the view was first reported, to the millisecond. It is zero in the result of [Visits.Again].
	At time.Time
	// URL is the view's address.
	URL string
	// Came is the source of the visitor with this view: that of the visit, if it began with the view, or else a
	// campaign or another host. It is zero for a view within the site.
	Came source.Source
}

// Arrive stores a page view and returns when it is stored. visitor is the visitor of a valid visitor string, or 0. A
// visitor who is not known any more becomes a new one.
//
// Arrive recognises a view that is reported again. For a known visitor, it looks among the last few views of the visit.
// For an unknown one, whose browser has not received the cookie yet, it recognises the visitor's first view for at
// least ten minutes. It also recognises a view that was stored when its page was sent, and then adds the title.
func (v *Visits) Arrive(ctx context.Context, siteID int64, visitor ID, view Arrival) (View, error) {
	// The number is drawn before the write, since a write must not wait for another write. A number that is not used is
	// skipped.
	number, err := v.numbers.Next(ctx)
	if err != nil {
		return View{}, fmt.Errorf("storing a view: %w", err)
	}
	a := arriving{
		Arrival: view, siteID: siteID, visitor: v.visitors.number(visitor), number: number,
		at: v.now().UnixMilli(), mark: markOf(view.Nonce, number),
		bot: v.IsBot(view.UserAgent), source: source.Of(view.URL, view.Referrer),
	}
	if view.Served != "" {
		a.served = markOf(view.Served, 0)
	}
	var stored stay
	err = v.db.WriteOwn(ctx, a.key(), func(ctx context.Context, tx db.Tx) error {
		var err error
		if stored, err = a.store(ctx, tx); err == nil {
			v.count(tx, &a, stored)
			if !stored.repeated {
				v.countText(tx, a.siteID, stored.visitor, a.Size())
			}
		}
		return err
	})
	if err != nil {
		return View{}, fmt.Errorf("storing a view: %w", err)
	}
	return View{
		Ref:        v.ref(stored.row),
		NewVisitor: stored.newVisitor,
		NewVisit:   stored.newVisit,
		Repeated:   stored.repeated,
		At:         time.UnixMilli(stored.at),
		Marked:     a.marked,
		Bot:        a.bot,
		URL:        view.URL,
		Came:       a.came(stored.newVisit),
	}, nil
}

// came returns the source of the view, or the zero source for a view within the site.
func (a *arriving) came(newVisit bool) source.Source {
	if newVisit || a.Kind == "load" && a.source.Kind != source.Direct {
		return a.source
	}
	return source.Source{}
}

// arrival is a page view while it is being stored.
type arriving struct {
	Arrival
	siteID  int64
	visitor int64 // 0 if the visitor is not known
	number  int64 // of the view, and of the visitor and the visit that begin with it
	at      int64
	mark    mark
	served  mark // empty if the view was not stored when the page was sent
	bot     bool
	source  source.Source
	marked  bool // the visitor has, or had, properties
}

// key returns the key by which the reports of one view, and the views of one visitor, are stored one after another on
// this node.
func (a *arriving) key() int64 {
	switch {
	case a.visitor != 0:
		return a.visitor
	case a.served != "":
		return a.served.hash()
	}
	return a.mark.hash()
}

// stay is where a page view was stored.
type stay struct {
	row
	newVisitor, newVisit, repeated bool
	at                             int64
}

func (a *arriving) store(ctx context.Context, tx db.Tx) (stay, error) {
	stored, err := a.ofKnown(ctx, tx, a.visitor)
	if errors.Is(err, ErrUnknown) {
		stored, err = a.ofUnknown(ctx, tx)
	}
	return stored, err
}

// ofKnown stores the view of a visitor who was here before. The error is ErrUnknown if there is no such visitor.
func (a *arriving) ofKnown(ctx context.Context, tx db.Tx, visitor int64) (stay, error) {
	if visitor == 0 {
		return stay{}, ErrUnknown
	}
	if joined, err := a.join(ctx, tx, visitor); joined.repeated || err != nil {
		return joined, err
	}
	s := stay{row: row{visitor: visitor, view: a.number}, at: a.at}
	var err error
	if s.visit, err = a.goOn(ctx, tx, visitor); err != nil {
		return s, err
	}
	if s.visit == 0 {
		// The visit is over, the view is not new, or the visitor is not known.
		latest, err := a.latest(ctx, tx, visitor)
		if err != nil {
			return s, err
		}
		if again, err := a.again(ctx, tx, visitor, latest); again.repeated || err != nil {
			return again, err
		}
		if s.visit, err = a.goOn(ctx, tx, visitor); err != nil { // another report may have begun one meanwhile
			return s, err
		}
	}
	if s.visit == 0 {
		s.visit, s.newVisit = a.number, true
		if err := a.begin(ctx, tx, visitor); err != nil {
			return s, err
		}
		err := tx.Send(ctx, `UPDATE visitors SET visit_id = $3 WHERE site_id = $1 AND id = $2`, a.siteID, visitor, s.visit)
		if err != nil {
			return s, err
		}
	}
	return s, a.insert(ctx, tx, s.row)
}

// ofUnknown stores the view of a new visitor, unless the view was reported before.
func (a *arriving) ofUnknown(ctx context.Context, tx db.Tx) (stay, error) {
	if joined, err := a.ofServed(ctx, tx); joined.repeated || err != nil {
		return joined, err
	}
	arrived := a.arrived()
	added, err := tx.Exec(ctx, `INSERT INTO visitors (site_id, id, arrived, nonce, first_at, visit_id, name)
		SELECT $1, $2, $3, $4, $5, $2, ''
		WHERE NOT EXISTS (SELECT 1 FROM visitors WHERE site_id = $1 AND arrived = $6 AND nonce = $4)
		ON CONFLICT (site_id, arrived, nonce) DO NOTHING`,
		a.siteID, a.number, arrived, string(a.mark), a.at, arrived-1)
	if err != nil {
		return stay{}, err
	}
	if added == 0 {
		tx.Alone() // the visitor may be opening another page now
		visitor, err := a.arrivedWith(ctx, tx, a.mark)
		if err != nil {
			return stay{}, err
		}
		return a.ofKnown(ctx, tx, visitor)
	}
	s := stay{row: row{a.number, a.number, a.number}, newVisitor: true, newVisit: true, at: a.at}
	if err := a.begin(ctx, tx, a.number); err != nil {
		return s, err
	}
	return s, a.insert(ctx, tx, s.row)
}

// arrivalPeriod is the length of the periods by which new visitors are told apart. See the table's index.
const arrivalPeriod = 10 * time.Minute

// arrived returns the period of the arrival.
func (a *arriving) arrived() int64 { return a.at / arrivalPeriod.Milliseconds() }

// arrivedWith returns the visitor whose first view had the mark in this period or the one before, or 0.
func (a *arriving) arrivedWith(ctx context.Context, tx db.Tx, m mark) (visitor int64, err error) {
	visitor, _, err = db.One(ctx, tx, db.Only[int64], `SELECT COALESCE(MAX(id), 0) FROM visitors WHERE site_id = $1 AND arrived IN ($2, $3) AND nonce = $4`,
		a.siteID, a.arrived(), a.arrived()-1, string(m))
	return visitor, err
}

func (a *arriving) insert(ctx context.Context, tx db.Tx, r row) error {
	err := tx.Send(ctx, `INSERT INTO views (site_id, visit_id, id, visitor_id, at, kind, url, referrer, title) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		a.siteID, r.visit, r.view, r.visitor, a.at, a.Kind, a.URL, a.Referrer, a.Title)
	if err == nil && !a.bot {
		tx.Wake(LiveTopic)
	}
	return err
}

// again finds the view among the last ones of the visit. If it is none of them, s is not repeated.
func (a *arriving) again(ctx context.Context, tx db.Tx, visitor int64, in latest) (s stay, err error) {
	if view := in.recent.find(a.mark); view != 0 {
		s = stay{row: row{visitor, in.id, view}, repeated: true}
		s.at, err = a.reportedAt(ctx, tx, s.row)
	}
	return s, err
}

// reportedAt returns when the view was stored.
func (a *arriving) reportedAt(ctx context.Context, tx db.Tx, r row) (at int64, err error) {
	at, _, err = db.One(ctx, tx, db.Only[int64], `SELECT at FROM views WHERE site_id = $1 AND visit_id = $2 AND id = $3`, a.siteID, r.visit, r.view)
	return at, err
}

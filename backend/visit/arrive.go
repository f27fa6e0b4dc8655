package visit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/place"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Arrival is a page view as the script reports it.
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
	// Own are the hosts of the site. A referrer there is none.
	Own source.Own
	// UserAgent and Language are the browser's headers.
	UserAgent, Language string
	// Unscripted says that only the request for a page tells of the view: no script has reported it yet.
	Unscripted bool
	// Client is the address that asks. It tells the place, and is not stored. It may be zero.
	Client netip.Addr
}

// Size is how many bytes of texts it has.
func (a Arrival) Size() int { return len(a.URL) + len(a.Referrer) + len(a.Title) }

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
	number, err := v.keys.Next(ctx)
	if err != nil {
		return View{}, fmt.Errorf("storing a view: %w", err)
	}
	a := arriving{
		Arrival: view, tables: v.keys.Tables, siteID: siteID, visitor: v.keys.Visitors.Number(visitor), number: number,
		at: v.now().UnixMilli(), mark: markOf(view.Nonce, number),
		bot: v.IsBot(view.UserAgent), place: v.where(view.Client), source: source.Of(view.URL, view.Referrer, view.Own),
	}
	// The reports of one view, and the views of one visitor, are stored one after another on this node.
	turn := int64(visitor)
	if view.Served != "" {
		a.served = markOf(view.Served, 0)
	}
	if a.visitor == 0 {
		turn = cmp.Or(a.served, a.mark).hash()
	}
	var s stay
	store := func(ctx context.Context, tx db.Tx) (err error) {
		if s, err = a.store(ctx, tx); err == nil && !s.repeated {
			v.count(tx, &a, s)
		}
		return err
	}
	err = v.lines.Pass(ctx, siteID, func() error {
		err := v.db.WriteOwn(ctx, turn, store)
		if partition.Missing(err) && v.keys.Again(ctx, number) == nil {
			err = v.db.WriteOwn(ctx, turn, store)
		}
		return err
	})
	if err != nil {
		return View{}, fmt.Errorf("storing a view: %w", err)
	}
	stored := View{
		Ref: v.keys.Ref(s.Row), NewVisitor: s.newVisitor, NewVisit: s.newVisit, Repeated: s.repeated, Marked: a.marked, Bot: a.bot,
		At: time.UnixMilli(s.at), URL: view.URL,
	}
	if s.newVisit || view.Kind == "load" && a.source.Kind != source.Direct {
		stored.Came = a.source
	}
	return stored, nil
}

// arriving is a page view while it is being stored.
type arriving struct {
	Arrival
	tables  func(visit int64) key.Tables
	siteID  int64
	visitor int64 // 0 if the visitor is not known
	number  int64 // of the view, and of the visitor and the visit that begin with it
	at      int64
	mark    mark
	served  mark // empty if the view was not stored when the page was sent
	bot     bool
	place   place.Place
	source  source.Source
	marked  bool // the visitor has, or had, properties
}

// stay is where a page view was stored.
type stay struct {
	key.Row
	newVisitor, newVisit, repeated bool
	at                             int64
}

// store stores the view with the visitor who was here before, or else with a new one.
func (a *arriving) store(ctx context.Context, tx db.Tx) (s stay, err error) {
	if a.visitor != 0 {
		if s, err = a.ofKnown(ctx, tx, a.visitor); !errors.Is(err, ErrUnknown) {
			return s, err
		}
	} else if a.served != "" {
		if s, err = a.ofServed(ctx, tx); s.repeated || err != nil {
			return s, err
		}
	}
	if s, err = a.ofNew(ctx, tx); s.newVisitor || err != nil {
		return s, err
	}
	tx.Alone() // the view was reported before, and its visitor may be opening another page now
	visitor, err := a.arrivedWith(ctx, tx, a.mark)
	if err != nil {
		return s, err
	}
	return a.ofKnown(ctx, tx, visitor)
}

// ofKnown stores the view of a visitor who was here before. The error is [ErrUnknown] if there is no such visitor.
func (a *arriving) ofKnown(ctx context.Context, tx db.Tx, visitor int64) (stay, error) {
	latest, err := a.latestOf(ctx, tx, visitor)
	if err != nil {
		return stay{}, err
	}
	if s, err := a.takeOver(ctx, tx, visitor, latest); s.repeated || err != nil {
		return s, err
	}
	s := stay{Row: key.Row{Visitor: visitor, Visit: latest, View: a.number}, at: a.at}
	goesOn, err := a.goOn(ctx, tx, latest)
	if err == nil && !goesOn {
		// The visit is over, or the view is not new.
		var again stay
		if s.Visit, again, err = a.lockLatest(ctx, tx, visitor); again.repeated || err != nil {
			return again, err
		}
		goesOn, err = a.goOn(ctx, tx, s.Visit) // another report may have begun one meanwhile
	}
	if err == nil && !goesOn {
		s.Visit, s.newVisit = a.number, true
		if err = a.begin(ctx, tx, visitor); err == nil {
			err = a.moveTo(ctx, tx, visitor, s.Visit)
		}
	}
	if err != nil {
		return s, err
	}
	return s, a.insert(ctx, tx, s.Row)
}

// ofServed finds the view of a visitor whose browser sends no cookie, by the nonce of the page. It does so for at least
// ten minutes. The result is not repeated if there is no such view.
func (a *arriving) ofServed(ctx context.Context, tx db.Tx) (s stay, err error) {
	tx.Alone() // the visitor may be opening another page now
	visitor, err := a.arrivedWith(ctx, tx, a.served)
	if err != nil || visitor == 0 {
		return stay{}, err
	}
	latest, err := a.latestOf(ctx, tx, visitor)
	if err == nil {
		s, err = a.takeOver(ctx, tx, visitor, latest)
	}
	if err == nil && !s.repeated {
		_, s, err = a.lockLatest(ctx, tx, visitor)
	}
	if errors.Is(err, ErrUnknown) || err == nil && !s.repeated {
		a.marked = false
		return stay{}, nil
	}
	return s, err
}

// ofNew stores the view of a new visitor. The result has none if the view was reported before.
func (a *arriving) ofNew(ctx context.Context, tx db.Tx) (s stay, err error) {
	added, err := a.addVisitor(ctx, tx)
	if err != nil || !added {
		return stay{}, err
	}
	s = stay{Row: key.Row{Visitor: a.number, Visit: a.number, View: a.number}, newVisitor: true, newVisit: true, at: a.at}
	if err = a.begin(ctx, tx, a.number); err != nil {
		return s, err
	}
	return s, a.insert(ctx, tx, s.Row)
}

// count counts a view that is stored and was not reported before.
func (v *Visits) count(tx db.Tx, a *arriving, s stay) {
	if size := a.Size(); size > quota.UsualText {
		v.texts.Count(tx, a.siteID, v.keys.Visitors.ID(s.Visitor), size)
	}
	if a.bot {
		return
	}
	began := ""
	if s.newVisit {
		began = a.source.Kind
	}
	v.days.Count(tx, a.siteID, a.at, began)
}

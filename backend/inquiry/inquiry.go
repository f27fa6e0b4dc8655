// Package inquiry lists everybody who got in touch, newest first: calls, leads, callbacks and conversations as one list. It
// owns the views that the list goes along, and asks the subjects for what they have. The console asks it.
package inquiry

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Kind is what an inquiry is.
type Kind string

// The kinds.
const (
	Call     Kind = "call"
	Request  Kind = "request" // a lead that was made of no call and of no conversation
	Callback Kind = "callback"
	Chat     Kind = "chat" // a conversation; it is another inquiry when its visitor writes after a day of silence
)

// Kinds are all kinds. Their order decides between inquiries of the same millisecond.
var Kinds = []Kind{Call, Request, Callback, Chat}

// ErrUnknown is returned for what is no inquiry.
var ErrUnknown = errors.New("unknown inquiry")

// Inquiry is somebody getting in touch. One of Call, Callback and Chat is there, or Lead alone.
type Inquiry struct {
	Kind       Kind
	SiteID, ID int64
	// At is when it came, to the millisecond.
	At time.Time
	// Visitor is 0 where nobody knows the visitor.
	Visitor  visit.ID
	Call     *call.Call
	Callback *callback.Callback
	Chat     *chat.Conversation
	// Said is what was written last in the conversation.
	Said overview.Said
	// Lead is the lead itself, or the one that a call or a conversation has become, as lists show it; nil for none.
	Lead *lead.Lead
	// Source is its own, or that of its visit. Its Kind is empty where it is not known.
	Source source.Source
}

// Filter says which inquiries are meant. What is empty narrows nothing, but for Sites. A kind that cannot have what is
// asked for is left out: a callback has no tag, and a conversation no recording.
type Filter struct {
	Sites scope.Sites
	// Lagging leaves out what has come in the last seconds, see [db.DB.Lagging].
	Lagging bool
	Kinds   []Kind
	// State is that of the lead. What is no lead is new while somebody waits for it, in work while it lasts, and done
	// afterwards. Where it is nil, it is any but [lead.Spam]; with a Search it is any.
	State *lead.State
	// Owner is the operator who has it, and a pointer to 0 nobody.
	Owner *int64
	// Group is the group of operators that it is for; 0 for any.
	Group int64
	// Source is the kind of the source, one of source.Kinds.
	Source string
	// Tag is one of the tags.
	Tag string
	// Sale is of sales alone, Unanswered of those that reached nobody or have no answer yet, and Recorded of calls with a
	// recording.
	Sale, Unanswered, Recorded bool
	// Called is a part of the number that was called, or that the visitor of a lead had seen.
	Called string
	// Since and Until are when they came: not before, and before.
	Since, Until time.Time
	// Search is what somebody has typed: words of a lead or of a conversation, a name, a part of a number, an address.
	Search string
}

// Check tells what is wrong with the filter: [call.ErrNumber] for Called, or what [search.Read] says.
func (f Filter) Check() error {
	if err := (call.Filter{Number: f.Called}).Check(); err != nil {
		return err
	}
	_, err := search.Read(f.Search)
	return err
}

// places are those of the kinds that can have what the filter asks for.
func (f Filter) places() (places []int64) {
	without := map[Kind]bool{
		Request:  f.Unanswered || f.Recorded,
		Callback: f.Owner != nil || f.Tag != "" || f.Sale || f.Recorded || f.Called != "",
		Chat:     f.Recorded || f.Called != "",
	}
	for place, kind := range Kinds {
		if !without[kind] && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, kind)) {
			places = append(places, int64(place))
		}
	}
	return places
}

// Cursor is a position in the list, newest first. The zero Cursor is its top. In the ID the kind has the two lowest
// bits.
type Cursor struct {
	At time.Time
	ID int64
}

// bounds are what the time and the id of all that is behind the cursor are less than, for the kind of the place.
func (c Cursor) bounds(place int64) (at, id int64) {
	if c == (Cursor{}) {
		return math.MaxInt64, math.MaxInt64
	}
	return c.At.UnixMilli(), (c.ID - place + 3) >> 2
}

// Page is a part of the list.
type Page struct {
	Inquiries []Inquiry
	// Next is where the list goes on; the zero Cursor at its end. A page with a Next may hold fewer inquiries
	// than asked for, or none: then what was looked at held no more.
	Next Cursor
}

// Subjects are what inquiries are made of.
type Subjects struct {
	DB        *db.DB
	Calls     *call.Calls
	Leads     *lead.Leads
	Inbox     *inbox.Inbox
	Callbacks *callback.Callbacks
	Chats     *chat.Chats
	Overview  *overview.Overview
	Visits    *visit.Visits
	Visitors  *card.Cards
	// Region is the country in whose way the visitors of a site write numbers: ISO 3166-1 alpha-2, or empty. It may be nil.
	Region func(ctx context.Context, siteID int64) string
}

// Inquiries lists the inquiries of all sites. It is safe for concurrent use.
type Inquiries struct{ Subjects }

// New returns the inquiries of the subjects, which are in the same database.
func New(s Subjects) *Inquiries { return &Inquiries{s} }

// Get returns the inquiry of the kind, or ErrUnknown. Of a conversation it is the latest.
func (q *Inquiries) Get(ctx context.Context, kind Kind, siteID, id int64) (Inquiry, error) {
	place := slices.Index(Kinds, kind)
	if place < 0 {
		return Inquiry{}, ErrUnknown
	}
	one := walk{Inquiries: q, place: int64(place)}
	keys, err := one.read(ctx, `v.site_id = $1 AND v.id = $2 ORDER BY v.at DESC LIMIT 1`, siteID, id)
	var found []Inquiry
	if err == nil {
		found, err = q.complete(ctx, keys)
	}
	if err == nil && len(found) == 0 {
		err = ErrUnknown
	}
	if err != nil {
		return Inquiry{}, err
	}
	return found[0], nil
}

// Tags are the tags of leads and of conversations of the sites, which have to be named, in order.
func (q *Inquiries) Tags(ctx context.Context, sites scope.Sites) ([]string, error) {
	tags, err := q.Inbox.Tags(ctx, sites)
	if err != nil {
		return nil, err
	}
	ofChats, err := q.Overview.Tags(ctx, sites)
	tags = append(tags, ofChats...)
	slices.Sort(tags)
	return slices.Compact(tags), err
}

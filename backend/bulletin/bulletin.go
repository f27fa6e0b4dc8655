// Package bulletin mails the figures of sites to whoever is subscribed: those of a day, of a week or of a month, each
// period once.
package bulletin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/locales"
)

const (
	// MaxSubscriptions bounds the subscriptions of a site.
	MaxSubscriptions = 20
	// MaxRefusals is how often in a row a mail server may refuse the mails for good before none are sent any more.
	MaxRefusals = 3
	// TestPause is how long after a test the next one of the same subscription may be sent.
	TestPause = time.Minute
)

// State tells whether mails are sent.
type State string

// The states.
const (
	Active  State = "active"
	Paused  State = "paused"  // by an operator
	Stopped State = "stopped" // by the reader
	Refused State = "refused" // by the mail server, several times in a row
)

// States are all states.
var States = []State{Active, Paused, Stopped, Refused}

// Subscription says to whom the figures of a site go, and how often.
type Subscription struct {
	SiteID, ID int64
	// Address is one of mail, such as "owner@shop.example".
	Address string
	// Language is one of [locales.Languages].
	Language string
	Every    Every
	State    State
	// By is the login of who has added it.
	By     string
	MadeAt time.Time
	// Period is the first day of the latest period that was mailed or is on its way, or else of the one before the first
	// mail; 0 as long as that is not known.
	Period period.Date
	// SentAt is when a mail server has taken a mail last; zero before the first.
	SentAt time.Time
	// Reason is why the last mail was not taken, one of attempt.Reasons; empty where it was. Status and Detail are what
	// the mail server said.
	Reason string
	Status int
	Detail string
}

// Errors of what cannot be subscribed, and of what is asked of subscriptions.
var (
	ErrAddress  = errors.New("expected an address such as owner@shop.example")
	ErrEvery    = errors.New("expected day, week or month")
	ErrLanguage = errors.New("expected the language of texts")
	ErrTwice    = errors.New("the address gets these mails already")
	ErrTooMany  = fmt.Errorf("a site has at most %d subscriptions", MaxSubscriptions)
	ErrUnknown  = errors.New("unknown subscription")
	// ErrStopped is returned for mails that their reader does not want.
	ErrStopped = errors.New("the reader wants no more of these mails")
	// ErrSoon is returned for a test that comes too soon after another.
	ErrSoon = errors.New("a test was sent just now")
)

func (s Subscription) check() error {
	switch {
	case mail.CheckMailbox(s.Address) != nil:
		return ErrAddress
	case !slices.Contains(Frequencies, s.Every):
		return ErrEvery
	case !slices.Contains(locales.Languages, s.Language):
		return ErrLanguage
	}
	return nil
}

// Issue is a bulletin that is to be written.
type Issue struct {
	Subscription
	// Covers is the period of which it tells.
	Covers period.Period
	// PersonWindow is what the settings of the site say.
	PersonWindow time.Duration
	// Stop is the address at which its reader stops further ones.
	Stop string
}

// Written is a bulletin as it is read.
type Written struct{ Subject, Text, HTML string }

// Served is how this node serves a site.
type Served struct {
	Zone         *time.Location // in which the site's days begin
	PersonWindow time.Duration  // see [site.Settings.PersonWindow]
	Service      string         // the URL of the site's prefix, with a slash at the end
}

// Subjects are what bulletins need.
type Subjects struct {
	DB    *db.DB
	Keys  *key.Keys
	Queue *queue.Queue
	// Deliveries have the mail server.
	Deliveries *notify.Deliveries
	// Site tells how this node serves the site. The error is [ErrNotServed] if this node does not, and [site.ErrRetired] if nobody does any more.
	Site func(ctx context.Context, siteID int64) (Served, error)
	// Write writes an issue.
	Write func(ctx context.Context, i Issue) (Written, error)
}

// ErrNotServed is returned for a site that other nodes serve.
var ErrNotServed = errors.New("this node does not serve the site")

// Bulletins mails figures of sites. It is safe for concurrent use.
type Bulletins struct {
	Subjects
	now    func() time.Time
	logger *zap.Logger
}

// New returns the bulletins of the database, which has to be migrated. Call it before [queue.Queue.Run].
func New(s Subjects, now func() time.Time, logger *zap.Logger) *Bulletins {
	b := &Bulletins{s, now, logger}
	s.Queue.Handle(kind, queue.Handler{Do: b.do, Next: next, Timeout: jobTimeout})
	return b
}

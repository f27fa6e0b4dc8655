// Package callback calls visitors back: first an operator, and when the operator has answered, the visitor. It owns the
// callbacks, their steps and their limits. Pages, the console and telephone platforms ask it.
//
// A callback is a state machine. Each step has a deadline, which a job of the queue watches, so a callback ends even if
// the platform or this process fails. Everything is in the database, so any node can continue it.
package callback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Changed is the kind of the journal's entry for a step of a callback. Its subject is the callback, and its data is a
// [News].
const Changed = "callback.state"

// News is the content of the journal's entry for a step. It names nobody.
type News struct {
	State   State  `json:"state"`
	Reason  string `json:"reason,omitempty"`
	Step    string `json:"step"`
	Attempt int    `json:"attempt"`
}

// State is the state of a callback.
type State string

// The states.
const (
	Waiting         State = "waiting" // for its time, or for the next attempt
	CallingOperator State = "calling_operator"
	CallingVisitor  State = "calling_visitor"
	Talking         State = "talking"
	Done            State = "done"
	NoAnswer        State = "no_answer" // after the last attempt
	Failed          State = "failed"
	Closed          State = "closed" // by somebody in the console
)

// States are all states.
var States = []State{Waiting, CallingOperator, CallingVisitor, Talking, Done, NoAnswer, Failed, Closed}

// Open reports whether the callback has not ended.
func (s State) Open() bool { return s == Waiting || s.Calling() }

// Calling reports whether the platform is making the call.
func (s State) Calling() bool { return s == CallingOperator || s == CallingVisitor || s == Talking }

// The origins of callbacks.
const (
	Page    = "page"    // the visitor has asked for it on a page
	Console = "console" // somebody has in the console
)

// Callback is a call back to a visitor.
type Callback struct {
	SiteID, ID int64
	State      State
	// Reason is a code: why the callback has failed, or how the last attempt has ended.
	Reason string
	Origin string
	// Ref is zero if the visitor is not known.
	visit.Ref
	URL string
	// Phone is the visitor's number, in digits in international form.
	Phone string
	// GroupID is the requested group; 0 for none.
	GroupID int64
	// WantedAt is the requested time; zero for at once.
	WantedAt             time.Time
	CreatedAt, ChangedAt time.Time
	// DueAt is the time of the next attempt, and EndedAt the end. Either may be zero.
	DueAt, EndedAt time.Time
	// Attempts counts the attempts that have begun, of Most, with Pause between them.
	Attempts, Most int
	Pause          time.Duration
	// Operator is the number called first, CallerID the number that both see: digits. Platform names the platform that
	// makes the call. They may be empty.
	Operator, CallerID, Platform string
	// Talk is how long they talked, in seconds; [telephony.Untold] if not reported.
	Talk int64

	deadlineAt, placingAt time.Time
	order                 string
	placed, concluded     bool
	delivery              string
	result                Result
	steps                 int
}

// Step is a step in the course of a callback.
type Step struct {
	N       int
	At      time.Time
	Attempt int
	// Kind is one of the constants below or a [telephony.Step].
	Kind string
	// Detail is an outcome, a code, or the words of a platform.
	Detail string
	// By is the login of the operator who did it in the console.
	By string
}

// The kinds of steps, beside those of telephony.
const (
	StepAsked     = "asked"     // for the callback
	StepPlaced    = "placed"    // the platform has been asked
	StepRefused   = "refused"   // by the platform
	StepSilent    = "silent"    // it has not told of the next step in time
	StepAgain     = "again"     // somebody wants it to be called now
	StepPostponed = "postponed" // somebody has put it off
	StepClosed    = "closed"    // somebody has ended it
)

// The reasons for which a callback fails, beside the outcomes of telephony.
const (
	Off               = "off"                     // the site has no callbacks
	NoPlatform        = "no_platform"             // none is configured
	NobodyToCall      = "nobody_to_call"          // neither the group nor the site has a number to call
	CountryNotAllowed = "country_not_allowed"     // the visitor's number is of another country
	TypeNotAllowed    = "number_type_not_allowed" // it is a number that costs more, or is no subscriber's
	PlatformError     = "platform_error"          // the platform has not taken the order
	PlatformSilent    = "platform_silent"         // it has not told of the next step in time
)

// Errors of requests. Their texts may be shown.
var (
	ErrUnknown = errors.New("there is no such callback")
	ErrState   = errors.New("the callback's state does not allow that")
	ErrTime    = errors.New("expected a time within the next 30 days")
)

// Subjects are the other rooms that callbacks need.
type Subjects struct {
	DB       *db.DB
	Queue    *queue.Queue
	Visits   *visit.Visits
	Captchas *captcha.Captchas
	Groups   *group.Groups // that can be called
	// Diallers returns the platforms that can be used now. The first is the one for sites that name none. It is called
	// for each attempt.
	Diallers func() []telephony.Dialler
	// Key is the key of a site.
	Key func(ctx context.Context, siteID int64) (string, error)
}

// Callbacks stores the callbacks of all sites and makes their calls. It is safe for concurrent use, on any number of
// nodes.
type Callbacks struct {
	Subjects
	now    func() time.Time
	logger *zap.Logger
	ids    *db.Sequence
	secret []byte // hides networks
}

// kind is the kind of the queue's jobs.
const kind = "callback"

// Open returns the callbacks of the database, and lets the queue run their jobs.
func Open(ctx context.Context, s Subjects, now func() time.Time, logger *zap.Logger) (*Callbacks, error) {
	secret, err := s.DB.Secret(ctx, "callback networks")
	if err != nil {
		return nil, err
	}
	c := &Callbacks{Subjects: s, now: now, logger: logger, ids: s.DB.Sequence("callbacks", 16), secret: secret}
	s.Queue.Handle(kind, queue.Handler{Do: c.do, Timeout: placeTimeout + lookTime})
	return c, nil
}

// caller returns the platform with the name, or the first for an empty name; nil for none.
func (c *Callbacks) dialler(name string) telephony.Dialler {
	diallers := c.Diallers()
	at := slices.IndexFunc(diallers, func(d telephony.Dialler) bool { return name == "" || d.Name() == name })
	if at < 0 {
		return nil
	}
	return diallers[at]
}

// lookAt adds a job for the callback's next time.
func (c *Callback) lookAt(ctx context.Context, tx db.Tx, at time.Time) error {
	return queue.Add(ctx, tx, queue.Job{
		SiteID: c.SiteID, Kind: kind, Target: strconv.FormatInt(c.SiteID, 10), VisitorID: int64(c.Visitor),
		Payload: []byte(fmt.Sprintf(`{"callback":%d}`, c.ID)), Due: at,
	})
}

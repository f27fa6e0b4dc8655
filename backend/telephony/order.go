package telephony

import (
	"context"
	"time"
)

// Order asks a platform to join an operator and a visitor: it calls the operator, and once that
// one has answered, the visitor.
type Order struct {
	// ID is one attempt to call back: letters and digits that nobody can guess. A platform
	// that gets the same ID twice places one call.
	ID string
	// Site is the key of the site.
	Site string
	// Operator and Visitor are the numbers to call, CallerID is the one that both are shown:
	// digits in international form. CallerID is empty for the platform's own.
	Operator, Visitor, CallerID string
	// Ring is for how long each of the two may ring.
	Ring time.Duration
}

// Step is how far the carrying out of an order has come.
type Step string

// The steps in their order. A platform that is not told of one of them leaves it out.
const (
	OperatorRings Step = "operator_rings"
	VisitorRings  Step = "visitor_rings" // the operator has answered
	Talking       Step = "talking"
	Ended         Step = "ended"
)

// Outcome is how an order has ended.
type Outcome string

// The outcomes.
const (
	Talked           Outcome = "talked"
	OperatorBusy     Outcome = "operator_busy"
	OperatorNoAnswer Outcome = "operator_no_answer"
	VisitorBusy      Outcome = "visitor_busy"
	VisitorNoAnswer  Outcome = "visitor_no_answer"
	OrderFailed      Outcome = "failed"
	OrderCancelled   Outcome = "cancelled"
)

// Progress is what a platform tells of an order.
type Progress struct {
	// Order is the [Order.ID].
	Order string
	Step  Step
	// Outcome is told with Ended, and Talk with it, in seconds; [Untold] when not told.
	Outcome Outcome
	Talk    int64
	// At is when it happened; zero when the platform does not tell.
	At time.Time
	// Reason is a word or a code of the platform's for who looks after it; mostly empty.
	Reason string
}

// Caller carries out orders. It is safe for concurrent use.
type Caller interface {
	// Name is that of the platform.
	Name() string
	// Place hands the order over, and returns when the platform has taken it, not when it is
	// carried out. The error says why it was not taken; nobody has been called then.
	Place(ctx context.Context, o Order) error
	// Cancel ends the order's calls if there are any.
	Cancel(ctx context.Context, id string) error
}

package telephony

import (
	"context"
	"time"
)

// Order asks a platform to connect an operator and a visitor. The platform calls the operator first, and after the
// operator has answered, the visitor.
type Order struct {
	// ID identifies one attempt to call back: letters and digits that nobody can guess. A platform that gets the same
	// ID twice places one call.
	ID string
	// Site is the key of the site.
	Site string
	// Operator and Visitor are the numbers to call. Both see the number CallerID. They are digits in international
	// form. An empty CallerID means the platform's own.
	Operator, Visitor, CallerID string
	// Ring is how long each of the two may ring.
	Ring time.Duration
}

// Step says how far an order has come.
type Step string

// The steps in their order. A platform may leave out a step that it does not know.
const (
	OperatorRings Step = "operator_rings"
	VisitorRings  Step = "visitor_rings" // the operator has answered
	Talking       Step = "talking"
	Ended         Step = "ended"
)

// Outcome says how an order has ended.
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

// Progress is what a platform reports about an order.
type Progress struct {
	// Order is the [Order.ID].
	Order string
	Step  Step
	// Outcome and Talk come with Ended. Talk is in seconds, or [Untold].
	Outcome Outcome
	Talk    int64
	// At is when it happened. It is zero if the platform does not say.
	At time.Time
	// Reason is a word or a code of the platform, for its administrator. It is usually empty.
	Reason string
}

// Dialler carries out orders. It is safe for concurrent use.
type Dialler interface {
	// Name is the platform's name.
	Name() string
	// Place hands the order over. It returns when the platform has accepted it, before it is carried out. The error
	// says why the platform has not; then nobody has been called.
	Place(ctx context.Context, o Order) error
	// Cancel ends the order's calls, if there are any.
	Cancel(ctx context.Context, id string) error
}

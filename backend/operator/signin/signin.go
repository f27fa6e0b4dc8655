// Package signin remembers who has signed in to the console, and where: the sessions, and for a long time the browsers. The
// console's door asks it, and its streams ask whether their sessions go on.
package signin

import (
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// SignIns keeps sessions of the console for github.com/alexedwards/scs, as its CtxStore, and signs what makes a browser
// known. The manager of sessions is to hash the tokens (HashTokenInStore), so that a look at the table opens no session. It
// is safe for concurrent use.
type SignIns struct {
	db        *db.DB
	operators *operator.Operators
	now       func() time.Time
	devices   deviceKey
}

// New returns the sign-ins of the operators.
func New(d *db.DB, operators *operator.Operators, now func() time.Time) *SignIns {
	return &SignIns{db: d, operators: operators, now: now}
}

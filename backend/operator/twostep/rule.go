package twostep

import (
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// Rule says who has to sign in with two steps: nobody, if it is empty.
type Rule string

// Rules beside the empty one.
const (
	Admins Rule = "admins"
	All    Rule = "all"
)

// Check returns an error for what is no rule.
func (r Rule) Check() error {
	if r != "" && r != Admins && r != All {
		return fmt.Errorf("unknown two_step %q: expected admins or all", string(r))
	}
	return nil
}

// Requires reports whether the account has to sign in with two steps.
func (r Rule) Requires(o operator.Operator) bool {
	return r == All || r == Admins && o.Role == operator.Admin
}

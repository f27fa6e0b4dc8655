// Package operatortest makes accounts for the tests of what asks for operators.
package operatortest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Password is that of all accounts.
const Password = "correct horse battery"

// Clock is a time that tests move.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock returns a clock of a Monday, at nine.
func NewClock() *Clock {
	return &Clock{at: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
}

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Pass lets time pass.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Account makes an account with the sites.
func Account(t *testing.T, o *operator.Operators, login string, role operator.Role, sites scope.Sites) operator.Operator {
	t.Helper()
	made, err := o.Create(t.Context(), operator.Server(), operator.Account{Login: login, Password: Password, Role: role, Sites: sites})
	require.NoError(t, err)
	return made
}

// History is what was done to the sites, oldest first.
func History(t *testing.T, d *db.DB, sites scope.Sites) (done []string) {
	t.Helper()
	journaltest.Entries(t, d) // so that all of them are read
	entries, err := journal.New(d).Administration(t.Context(), sites, journal.Position{}, 100)
	require.NoError(t, err)
	for _, e := range entries {
		done = append([]string{fmt.Sprintf("%d %s %s", e.SiteID, e.Kind, e.Data)}, done...)
	}
	return done
}

package signin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// findTime bounds the question that each page of the console asks first: while the server of the database hangs, or is cut off,
// the page says so soon, and its next request may come to another node.
const findTime = 4 * time.Second

// FindCtx returns the session's data, when there is one that has not expired.
func (s *SignIns) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	data, found, err := db.One(ctx, s.db.Read(), db.Only[[]byte], `SELECT data FROM operator_sessions WHERE token = $1 AND expires_at > $2 AND NOT ended`,
		token, s.now().UnixMilli())
	if err != nil {
		return nil, false, fmt.Errorf("reading session: %w", err)
	}
	return data, found, nil
}

// Session is what a session of the console stands on.
type Session struct {
	Token   string // as it is in the table, hashed
	Account int64
	Epoch   int64       // of the account, when the session began
	Sites   scope.Sites // of the account, when they were last asked for
}

// Standing is what has become of a session.
type Standing int

const (
	// Ended sessions were ended, or what they stand on is not as it was.
	Ended Standing = iota
	// Moved sessions go on, but the account sees other sites than it did.
	Moved
	// Stands is for sessions that go on.
	Stands
)

// Standing tells what has become of the sessions. It takes two statements for a thousand of them.
func (s *SignIns) Standing(ctx context.Context, sessions []Session) (map[Session]Standing, error) {
	standing := make(map[Session]Standing, len(sessions))
	for some := range slices.Chunk(sessions, sessionsAtOnce) {
		tokens, holders := make([]string, len(some)), make([]int64, len(some))
		for i, one := range some {
			tokens[i], holders[i] = one.Token, one.Account
		}
		slices.Sort(tokens)
		values, args := db.Values(db.Padded(slices.Compact(tokens)), db.Only[string], s.now().UnixMilli())
		open, err := db.List(ctx, s.db.Read(), db.Only[string], `SELECT token FROM operator_sessions WHERE expires_at > $1 AND NOT ended AND token IN (`+values+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("reading sessions: %w", err)
		}
		slices.Sort(open)
		enabled, err := s.operators.Enabled(ctx, holders)
		if err != nil {
			return nil, err
		}
		accounts := make(map[int64]operator.Operator, len(enabled))
		for _, a := range enabled {
			accounts[a.ID] = a
		}
		for _, one := range some {
			a, found := accounts[one.Account]
			_, opened := slices.BinarySearch(open, one.Token)
			switch {
			case !found || a.Epoch != one.Epoch || !opened:
				standing[one] = Ended
			case a.Sites != one.Sites:
				standing[one] = Moved
			default:
				standing[one] = Stands
			}
		}
	}
	return standing, nil
}

// sessionsAtOnce bounds how many sessions one statement asks for.
const sessionsAtOnce = 1024

// CommitCtx stores the session's data, unless it has ended, and clears away what has expired.
func (s *SignIns) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	now := s.now().UnixMilli()
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO operator_sessions (token, data, expires_at, operator_id, epoch, began_at, seen_at, browser, system, address, ended)
			VALUES ($1, $2, $3, 0, 0, $4, $4, '', '', '', FALSE)
			ON CONFLICT (token) DO UPDATE SET data = EXCLUDED.data, expires_at = EXCLUDED.expires_at, seen_at = EXCLUDED.seen_at WHERE NOT operator_sessions.ended`,
			token, data, expiry.UnixMilli(), now)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM operator_sessions WHERE expires_at <= $1`, now)
		return err
	})
	if err != nil {
		return fmt.Errorf("storing session: %w", err)
	}
	return nil
}

// ended is what becomes of a session that has ended.
const ended = `ended = TRUE, data = '', browser = '', system = '', address = ''`

// DeleteCtx ends the session, if it is there, and wakes [operator.Topic].
func (s *SignIns) DeleteCtx(ctx context.Context, token string) error {
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		tx.Wake(operator.Topic)
		_, err := tx.Exec(ctx, `UPDATE operator_sessions SET `+ended+` WHERE token = $1`, token)
		return err
	})
	if err != nil {
		return fmt.Errorf("ending session: %w", err)
	}
	return nil
}

// Find is [SignIns.FindCtx] for callers without a context.
func (s *SignIns) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is [SignIns.CommitCtx] for callers without a context.
func (s *SignIns) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is [SignIns.DeleteCtx] for callers without a context.
func (s *SignIns) Delete(token string) error {
	return s.DeleteCtx(context.Background(), token)
}

package operator

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// SessionStore keeps sessions of the console for github.com/alexedwards/scs, as its CtxStore. The manager is to hash
// the tokens (HashTokenInStore), so that a look at the table opens no session.
type SessionStore struct {
	db  *db.DB
	now func() time.Time
}

// Sessions returns the store of the console's sessions.
func (o *Operators) Sessions() *SessionStore { return &SessionStore{db: o.db, now: o.now} }

// FindCtx returns the session's data, when there is one that has not expired.
func (s *SessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	text, found, err := db.One(ctx, s.db.Read(), db.Only[string], `SELECT data FROM operator_sessions WHERE token = $1 AND expires_at > $2`,
		token, s.now().UnixMilli())
	if err != nil {
		return nil, false, fmt.Errorf("reading session: %w", err)
	}
	if !found {
		return nil, false, nil
	}
	data, err := base64.StdEncoding.DecodeString(text)
	return data, err == nil, err
}

// Sign is what a session of the console stands on.
type Sign struct {
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
func (o *Operators) Standing(ctx context.Context, signs []Sign) (map[Sign]Standing, error) {
	standing := make(map[Sign]Standing, len(signs))
	for some := range slices.Chunk(signs, signsAtOnce) {
		tokens, holders := make([]string, len(some)), make([]int64, len(some))
		for i, s := range some {
			tokens[i], holders[i] = s.Token, s.Account
		}
		values, args := db.Values(db.Padded(unique(tokens)), db.Only[string], o.now().UnixMilli())
		open, err := db.List(ctx, o.db.Read(), db.Only[string], `SELECT token FROM operator_sessions WHERE expires_at > $1 AND token IN (`+values+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("reading sessions: %w", err)
		}
		slices.Sort(open)
		type account struct {
			id, epoch int64
			sites     scope.Sites
		}
		values, args = db.Values(db.Padded(unique(holders)), db.Only[int64])
		enabled, err := db.List(ctx, o.db.Read(), func(a *account) []any { return []any{&a.id, &a.epoch, &a.sites} },
			`SELECT id, epoch, sites FROM operators WHERE NOT disabled AND id IN (`+values+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("reading operators: %w", err)
		}
		accounts := make(map[int64]account, len(enabled))
		for _, a := range enabled {
			accounts[a.id] = a
		}
		for _, s := range some {
			a, found := accounts[s.Account]
			_, opened := slices.BinarySearch(open, s.Token)
			switch {
			case !found || a.epoch != s.Epoch || !opened:
				standing[s] = Ended
			case a.sites != s.Sites:
				standing[s] = Moved
			default:
				standing[s] = Stands
			}
		}
	}
	return standing, nil
}

// signsAtOnce bounds how many sessions one statement asks for.
const signsAtOnce = 1024

func unique[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// CommitCtx stores the session's data, and clears away what has expired.
func (s *SessionStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO operator_sessions (token, data, expires_at) VALUES ($1, $2, $3)
			ON CONFLICT (token) DO UPDATE SET data = EXCLUDED.data, expires_at = EXCLUDED.expires_at`,
			token, base64.StdEncoding.EncodeToString(data), expiry.UnixMilli())
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM operator_sessions WHERE expires_at <= $1`, s.now().UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("storing session: %w", err)
	}
	return nil
}

// DeleteCtx ends the session, if it is there, and wakes [Topic].
func (s *SessionStore) DeleteCtx(ctx context.Context, token string) error {
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		tx.Wake(Topic)
		_, err := tx.Exec(ctx, `DELETE FROM operator_sessions WHERE token = $1`, token)
		return err
	})
	if err != nil {
		return fmt.Errorf("ending session: %w", err)
	}
	return nil
}

// Find is [SessionStore.FindCtx] for callers without a context.
func (s *SessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is [SessionStore.CommitCtx] for callers without a context.
func (s *SessionStore) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is [SessionStore.DeleteCtx] for callers without a context.
func (s *SessionStore) Delete(token string) error {
	return s.DeleteCtx(context.Background(), token)
}

package operator

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// SessionStore keeps sessions of the console for github.com/alexedwards/scs, as
// its CtxStore. The manager is to hash the tokens (HashTokenInStore), so that a
// look at the table opens no session.
type SessionStore struct {
	db  *db.DB
	now func() time.Time
}

// Sessions returns the store of the console's sessions.
func (o *Operators) Sessions() *SessionStore { return &SessionStore{db: o.db, now: o.now} }

// FindCtx returns the session's data, when there is one that has not expired.
func (s *SessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	var text string
	err := s.db.Read().QueryRowContext(ctx, `SELECT data FROM operator_sessions WHERE token = ? AND expires_at > ?`,
		token, s.now().UnixMilli()).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading session: %w", err)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	return data, err == nil, err
}

// Sign is what a session of the console stands on.
type Sign struct {
	Token   string // as it is in the table, hashed
	Account int64
	Epoch   int64 // of the account, when the session began
}

// Standing tells which of the sessions go on: they have not been ended, and
// their accounts are as they were. It takes two statements for a thousand of them.
func (o *Operators) Standing(ctx context.Context, signs []Sign) (map[Sign]bool, error) {
	standing := make(map[Sign]bool, len(signs))
	for some := range slices.Chunk(signs, signsAtOnce) {
		tokens, accounts := make([]string, len(some)), make([]int64, len(some))
		for i, s := range some {
			tokens[i], accounts[i] = s.Token, s.Account
		}
		var open []string
		err := o.db.Read().NewRaw(`SELECT token FROM operator_sessions WHERE token IN (?) AND expires_at > ?`,
			bun.List(unique(tokens)), o.now().UnixMilli()).Scan(ctx, &open)
		if err != nil {
			return nil, fmt.Errorf("reading sessions: %w", err)
		}
		slices.Sort(open)
		var enabled []struct{ ID, Epoch int64 }
		err = o.db.Read().NewRaw(`SELECT id, epoch FROM operators WHERE id IN (?) AND NOT disabled`, bun.List(unique(accounts))).Scan(ctx, &enabled)
		if err != nil {
			return nil, fmt.Errorf("reading operators: %w", err)
		}
		epochs := make(map[int64]int64, len(enabled))
		for _, account := range enabled {
			epochs[account.ID] = account.Epoch
		}
		for _, s := range some {
			epoch, found := epochs[s.Account]
			_, opened := slices.BinarySearch(open, s.Token)
			standing[s] = found && epoch == s.Epoch && opened
		}
	}
	return standing, nil
}

// signsAtOnce bounds how many sessions one statement asks for.
const signsAtOnce = 1000

func unique[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// CommitCtx stores the session's data, and clears away what has expired.
func (s *SessionStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO operator_sessions (token, data, expires_at) VALUES (?, ?, ?)
			ON CONFLICT (token) DO UPDATE SET data = EXCLUDED.data, expires_at = EXCLUDED.expires_at`,
			token, base64.StdEncoding.EncodeToString(data), expiry.UnixMilli())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM operator_sessions WHERE expires_at <= ?`, s.now().UnixMilli())
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
		_, err := tx.ExecContext(ctx, `DELETE FROM operator_sessions WHERE token = ?`, token)
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

package operator

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

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

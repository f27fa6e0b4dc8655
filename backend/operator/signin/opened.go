package signin

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// SessionsEnded is the kind of the journal's entries about sessions that were ended from elsewhere; see [operator.Added].
const SessionsEnded = "operator.sessions_ended"

// MaxOpen is how many open sessions of an account are told, the latest seen first.
const MaxOpen = 100

// Client is with what, and from where, somebody has signed in.
type Client struct {
	// Browser and System are names as package agent has them; empty for unknown ones.
	Browser, System string
	// Address is the client's, as it may be kept; empty for none.
	Address string
}

// Open is a session in which an account is signed in.
type Open struct {
	// Name tells the session from others. It opens nothing: it is the hash of the token.
	Name        string
	Began, Seen time.Time // Seen is right to some minutes
	Client
}

// Note notes whose session it is that has just been stored, and with what it was begun.
func (s *SignIns) Note(ctx context.Context, session Session, client Client) error {
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE operator_sessions SET operator_id = $1, epoch = $2, began_at = $3, seen_at = $3, browser = $4, system = $5, address = $6 WHERE token = $7`,
			session.Account, session.Epoch, s.now().UnixMilli(), client.Browser, client.System, client.Address, session.Token)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting a session: %w", err)
	}
	return nil
}

// Sessions are the open sessions of the account, the latest seen first, [MaxOpen] at most.
func (s *SignIns) Sessions(ctx context.Context, account operator.Operator) ([]Open, error) {
	type row struct {
		Open
		began, seen int64
	}
	rows, err := db.List(ctx, s.db.Read(), func(r *row) []any { return []any{&r.Name, &r.began, &r.seen, &r.Browser, &r.System, &r.Address} },
		`SELECT token, began_at, seen_at, browser, system, address FROM operator_sessions
		WHERE operator_id = $1 AND epoch = $2 AND NOT ended AND expires_at > $3 ORDER BY seen_at DESC, token LIMIT $4`,
		account.ID, account.Epoch, s.now().UnixMilli(), MaxOpen)
	if err != nil {
		return nil, fmt.Errorf("reading sessions: %w", err)
	}
	open := make([]Open, len(rows))
	for i, r := range rows {
		r.Began, r.Seen = time.UnixMilli(r.began), time.UnixMilli(r.seen)
		open[i] = r.Open
	}
	return open, nil
}

// End ends the account's session of the name, at once on all nodes. The actor is the account's owner or has all of its
// sites. The error may be [operator.ErrUnknown], or [operator.ErrForbidden]. Ending what has ended is none.
func (s *SignIns) End(ctx context.Context, actor operator.Actor, account int64, name string) error {
	return s.end(ctx, actor, account, `token = $2`, name)
}

// EndOthers is [SignIns.End] for all sessions of the account but that of the name, which may be empty.
func (s *SignIns) EndOthers(ctx context.Context, actor operator.Actor, account int64, name string) error {
	return s.end(ctx, actor, account, `token <> $2`, name)
}

func (s *SignIns) end(ctx context.Context, actor operator.Actor, account int64, which, name string) error {
	return s.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		o, err := operator.Within(ctx, tx, account)
		switch {
		case err != nil:
			return err
		case !actor.Sites.Covers(o.Sites):
			return operator.ErrForbidden
		}
		gone, err := tx.Exec(ctx, `UPDATE operator_sessions SET `+ended+` WHERE operator_id = $1 AND NOT ended AND `+which, account, name)
		if err != nil {
			return fmt.Errorf("ending sessions: %w", err)
		}
		if gone == 0 {
			return nil
		}
		return operator.Note(ctx, tx, SessionsEnded, s.now(), actor.By, o)
	})
}

// Package once remembers what was answered to a call that a program may repeat, so that it is done once
// (draft-ietf-httpapi-idempotency-key-header).
package once

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

const (
	// KeepFor is how long an answer is kept.
	KeepFor = 24 * time.Hour
	// unfinished is after how long a call that has not been answered never will be.
	unfinished = 20 * time.Second
	// maxBody is how many bytes of an answer are kept at most.
	maxBody = 512 << 10
)

// What may come of a call with a key that was used before. Their texts may be shown.
var (
	ErrOther   = errors.New("another call was made with this Idempotency-Key")
	ErrRunning = errors.New("the call with this Idempotency-Key is still being answered")
	ErrLost    = errors.New("the call with this Idempotency-Key was not answered: look whether it was done, and take another key")
)

// Call is a call that may be repeated.
type Call struct {
	TokenID int64
	// Secret is the token itself, and Key what the program has chosen for the call. The answer can be read with both alone.
	Secret, Key string
	// Asked is the call itself: its method, address and body.
	Asked []byte
}

// Answer is what was answered.
type Answer struct {
	Status int               `json:"status"`
	Fields map[string]string `json:"fields"`
	Body   []byte            `json:"body"`
}

// Answers keeps the answers. What they hold of a person, or of a secret, cannot be read in the database: they are
// encrypted by what the caller alone has. It is safe for concurrent use, on any number of nodes.
type Answers struct {
	db  *db.DB
	now func() time.Time
}

// New returns the answers of the database.
func New(d *db.DB, now func() time.Time) *Answers { return &Answers{db: d, now: now} }

// name is under what the call is kept: no key of a program stands in the database.
func (c Call) name() string { return hex.EncodeToString(c.derived("name")) }

func (c Call) asked() string {
	sum := sha256.Sum256(c.Asked)
	return hex.EncodeToString(sum[:])
}

func (c Call) derived(what string) []byte {
	mac := hmac.New(sha256.New, []byte(c.Secret))
	mac.Write([]byte(what + "\x00" + c.Key))
	return mac.Sum(nil)
}

func (c Call) sealer() (cipher.AEAD, error) {
	block, err := aes.NewCipher(c.derived("answer"))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

type row struct {
	asked  string
	at     int64
	answer []byte
}

// Begin begins the call, or returns the answer that it had before. The error may be one of the package.
func (a *Answers) Begin(ctx context.Context, c Call) (*Answer, error) {
	name, asked, now := c.name(), c.asked(), a.now()
	var before row
	var known bool
	err := a.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM open_answers WHERE token_id = $1 AND name = $2 AND at < $3`, c.TokenID, name, now.Add(-KeepFor).UnixMilli()); err != nil {
			return err
		}
		added, err := tx.Exec(ctx, `INSERT INTO open_answers (token_id, name, asked, at, answer) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (token_id, name) DO NOTHING`,
			c.TokenID, name, asked, now.UnixMilli(), []byte{})
		if err != nil || added > 0 {
			return err
		}
		before, known, err = db.One(ctx, tx, func(r *row) []any { return []any{&r.asked, &r.at, &r.answer} },
			`SELECT asked, at, answer FROM open_answers WHERE token_id = $1 AND name = $2`, c.TokenID, name)
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("beginning a call with a key: %w", err)
	case !known:
		return nil, nil
	case before.asked != asked:
		return nil, ErrOther
	case len(before.answer) > 0:
		return c.open(before.answer)
	case now.Sub(time.UnixMilli(before.at)) > unfinished:
		return nil, ErrLost
	}
	return nil, ErrRunning
}

func (c Call) open(sealed []byte) (*Answer, error) {
	sealer, err := c.sealer()
	if err != nil {
		return nil, err
	}
	text, err := sealer.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, fmt.Errorf("reading an answer: %w", err)
	}
	answer := new(Answer)
	return answer, json.Unmarshal(text, answer)
}

// Keep keeps the answer to a call that was begun. One that is too long is not kept: the call is [ErrLost] when it is
// repeated.
func (a *Answers) Keep(ctx context.Context, c Call, answer Answer) error {
	if len(answer.Body) > maxBody {
		return nil
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	sealer, err := c.sealer()
	if err != nil {
		return err
	}
	return a.write(ctx, `UPDATE open_answers SET answer = $3 WHERE token_id = $1 AND name = $2`, c, sealer.Seal(nil, nil, text, nil))
}

// Forget lets the call be repeated: it has failed, and nothing was done.
func (a *Answers) Forget(ctx context.Context, c Call) error {
	return a.write(ctx, `DELETE FROM open_answers WHERE token_id = $1 AND name = $2`, c)
}

func (a *Answers) write(ctx context.Context, query string, c Call, args ...any) error {
	args = append([]any{c.TokenID, c.name()}, args...)
	err := a.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, query, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping an answer: %w", err)
	}
	return nil
}

// Prune deletes the answers that are kept no longer.
func (a *Answers) Prune(ctx context.Context) error {
	before := a.now().Add(-KeepFor).UnixMilli()
	return a.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM open_answers WHERE at < $1`, before)
		return err
	})
}

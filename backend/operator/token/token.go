// Package token keeps the tokens by which programs call the public API: what each opens, on which sites, and until when.
package token

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Kinds of the journal's entries about tokens. Their data is {"by", "name"}. There is one at each site of the token.
const (
	Made    = "operator.token_made"
	Revoked = "operator.token_revoked"
)

// Topic is woken when a token is revoked; see [db.DB.Subscribe].
const Topic = "operators.tokens"

// Bounds of tokens.
const (
	// Max limits the tokens of the installation that have not ended.
	Max = 10_000
	// MinDays and MaxDays limit for how long a token opens.
	MinDays, MaxDays = 1, 5 * 365
	// keptFor is how long a token that has ended is kept, so that calls with it are told so.
	keptFor = 90 * 24 * time.Hour
	// usedEvery is how exactly it is kept when a token was used last.
	usedEvery = time.Minute
	// Prefix begins each token, so that people and scanners of source code know one when they see it.
	Prefix = "frontdesk_"
)

// Mistakes of those who make and use tokens. Their texts may be shown.
var (
	ErrUnknown   = errors.New("there is no such token")
	ErrEnded     = errors.New("this token has ended or was revoked")
	ErrName      = errors.New("a token has a name of 1 to 100 characters")
	ErrDays      = fmt.Errorf("a token lasts %d to %d days", MinDays, MaxDays)
	ErrMany      = fmt.Errorf("there are %d tokens already", Max)
	ErrScope     = fmt.Errorf("a token opens one of these at least: %s", strings.Join(names(), ", "))
	ErrSites     = errors.New("a token opens one site at least")
	ErrForbidden = errors.New("this token opens sites that you do not administer")
)

// Token is what is known of a token. The token itself is kept nowhere.
type Token struct {
	ID     int64
	Name   string
	Scopes []Scope
	Sites  scope.Sites
	// By is the login of who made it; empty for whoever runs the server.
	By             string
	MadeAt, EndsAt time.Time
	// UsedAt is when it was used last, to the minute; zero if it never was.
	UsedAt time.Time
}

// Opens tells whether the token has the scope. What may be changed may be read.
func (t Token) Opens(s Scope) bool {
	subject, does := s.Parts()
	return slices.Contains(t.Scopes, s) || does == "read" && slices.Contains(t.Scopes, Scope(subject+":write"))
}

// Tokens keeps the tokens. It is safe for concurrent use.
type Tokens struct {
	db  *db.DB
	now func() time.Time
	ids *db.Sequence
}

// New returns the tokens of the database.
func New(d *db.DB, now func() time.Time) *Tokens {
	return &Tokens{db: d, now: now, ids: d.Sequence("operator_tokens", 1)}
}

type row struct {
	Token
	scopes           string
	made, ends, used int64
}

var columns = `SELECT id, name, scopes, ` + scope.Column("all_sites", "operator_token_sites s WHERE s.token_id = operator_tokens.id") +
	`, made_by, made_at, ends_at, used_at FROM operator_tokens`

func (t *Tokens) read(ctx context.Context, rest string, args ...any) ([]Token, error) {
	rows, err := db.List(ctx, t.db.Read(), func(r *row) []any {
		return []any{&r.ID, &r.Name, &r.scopes, &r.Sites, &r.By, &r.made, &r.ends, &r.used}
	}, columns+rest, args...)
	if err != nil {
		return nil, fmt.Errorf("reading tokens: %w", err)
	}
	list := make([]Token, len(rows))
	for i, r := range rows {
		for name := range strings.FieldsSeq(r.scopes) {
			r.Scopes = append(r.Scopes, Scope(name))
		}
		r.MadeAt, r.EndsAt = time.UnixMilli(r.made), time.UnixMilli(r.ends)
		if r.used != 0 {
			r.UsedAt = time.UnixMilli(r.used)
		}
		list[i] = r.Token
	}
	return list, nil
}

// Stands reports whether the token of the number still opens.
func (t *Tokens) Stands(ctx context.Context, id int64) (bool, error) {
	found, err := t.read(ctx, ` WHERE id = $1 AND ends_at > $2`, id, t.now().UnixMilli())
	return len(found) > 0, err
}

// Revocations receives a value when a token may have been revoked, until forget is called.
func (t *Tokens) Revocations() (news <-chan struct{}, forget func()) { return t.db.Subscribe(Topic) }

// List returns the tokens that have not ended and open one of the sites at least, the latest first and at most limit.
func (t *Tokens) List(ctx context.Context, sites scope.Sites, limit int) ([]Token, error) {
	seen := ``
	if !sites.All() {
		seen = ` AND (all_sites OR EXISTS (SELECT 1 FROM operator_token_sites s WHERE s.token_id = operator_tokens.id AND ` + sites.SQL("s.site_id") + `))`
	}
	return t.read(ctx, ` WHERE ends_at > $1`+seen+` ORDER BY id DESC LIMIT $2`, t.now().UnixMilli(), limit)
}

// Make makes a token of the name, scopes and sites, which lasts so many days, and returns it as [Token] and as what a
// program sends. That is kept nowhere. The error is one of the mistakes above.
func (t *Tokens) Make(ctx context.Context, actor operator.Actor, made Token, days int) (_ Token, secret string, err error) {
	made.Name, err = operator.CheckName(made.Name)
	slices.SortFunc(made.Scopes, func(a, b Scope) int { return cmp.Compare(slices.Index(Scopes, a), slices.Index(Scopes, b)) })
	made.Scopes = slices.Compact(made.Scopes)
	switch {
	case err != nil || made.Name == "":
		return Token{}, "", ErrName
	case days < MinDays || days > MaxDays:
		return Token{}, "", ErrDays
	case len(made.Scopes) == 0 || slices.ContainsFunc(made.Scopes, func(s Scope) bool { return !slices.Contains(Scopes, s) }):
		return Token{}, "", ErrScope
	case made.Sites.None():
		return Token{}, "", ErrSites
	case !actor.Sites.Covers(made.Sites):
		return Token{}, "", ErrForbidden
	}
	if made.ID, err = t.ids.Next(ctx); err != nil {
		return Token{}, "", err
	}
	now := t.now()
	made.By, made.MadeAt, made.EndsAt, made.UsedAt = actor.By, now, now.AddDate(0, 0, days), time.Time{}
	secret = Prefix + rand.Text()
	scopes := make([]string, len(made.Scopes))
	for i, s := range made.Scopes {
		scopes[i] = string(s)
	}
	entries, err := made.entries(Made, made.By, now)
	if err != nil {
		return Token{}, "", err
	}
	err = t.insert(ctx, made, hashed(secret), strings.Join(scopes, " "), entries)
	if err != nil && !errors.Is(err, ErrMany) {
		err = fmt.Errorf("making a token: %w", err)
	}
	return made, secret, err
}

func (t *Tokens) insert(ctx context.Context, made Token, hash, scopes string, entries []journal.Entry) error {
	old, now, sites := made.MadeAt.Add(-keptFor).UnixMilli(), made.MadeAt.UnixMilli(), made.Sites.IDs()
	return t.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		for _, from := range []string{
			`operator_token_sites WHERE token_id IN (SELECT id FROM operator_tokens WHERE ends_at < $1)`, `operator_tokens WHERE ends_at < $1`,
		} {
			if _, err := tx.Exec(ctx, `DELETE FROM `+from, old); err != nil {
				return err
			}
		}
		open, _, err := db.One(ctx, tx, db.Only[int], `SELECT COUNT(*) FROM operator_tokens WHERE ends_at > $1`, now)
		if err == nil && open >= Max {
			err = ErrMany
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO operator_tokens (id, hash, name, scopes, all_sites, made_by, made_at, ends_at, used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)`,
			made.ID, hash, made.Name, scopes, sites == nil, made.By, now, made.EndsAt.UnixMilli()); err != nil {
			return err
		}
		for _, site := range sites {
			if _, err := tx.Exec(ctx, `INSERT INTO operator_token_sites (site_id, token_id) VALUES ($1, $2)`, site, made.ID); err != nil {
				return err
			}
		}
		return journal.AppendAll(ctx, tx, entries)
	})
}

// Revoke ends the token at once, on all nodes. The error may be [ErrUnknown], also for one that has ended, or
// [ErrForbidden].
func (t *Tokens) Revoke(ctx context.Context, actor operator.Actor, id int64) error {
	now := t.now()
	found, err := t.read(ctx, ` WHERE id = $1 AND ends_at > $2`, id, now.UnixMilli())
	switch {
	case err != nil:
		return err
	case len(found) == 0 || found[0].Sites.Common(actor.Sites).None():
		return ErrUnknown
	case !actor.Sites.Covers(found[0].Sites):
		return ErrForbidden
	}
	entries, err := found[0].entries(Revoked, actor.By, now)
	if err != nil {
		return err
	}
	err = t.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		tx.Wake(Topic)
		ended, err := tx.Exec(ctx, `UPDATE operator_tokens SET ends_at = $1 WHERE id = $2 AND ends_at > $1`, now.UnixMilli(), id)
		if err == nil && ended == 0 {
			err = ErrUnknown
		}
		if err != nil {
			return err
		}
		return journal.AppendAll(ctx, tx, entries)
	})
	if err != nil && !errors.Is(err, ErrUnknown) {
		err = fmt.Errorf("revoking a token: %w", err)
	}
	return err
}

// Open returns the token of what a program has sent, and keeps that it was used. The error may be [ErrUnknown] or
// [ErrEnded].
func (t *Tokens) Open(ctx context.Context, secret string) (Token, error) {
	if !strings.HasPrefix(secret, Prefix) || len(secret) > 64 {
		return Token{}, ErrUnknown
	}
	found, err := t.read(ctx, ` WHERE hash = $1`, hashed(secret))
	now := t.now()
	switch {
	case err != nil:
		return Token{}, err
	case len(found) == 0:
		return Token{}, ErrUnknown
	case !found[0].EndsAt.After(now):
		return Token{}, ErrEnded
	case now.Sub(found[0].UsedAt) < usedEvery:
		return found[0], nil
	}
	err = t.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		return tx.Send(ctx, `UPDATE operator_tokens SET used_at = $1 WHERE id = $2 AND used_at < $1`, now.UnixMilli(), found[0].ID)
	})
	if err != nil {
		return Token{}, fmt.Errorf("keeping that a token was used: %w", err)
	}
	return found[0], nil
}

// entries are the journal's of what was done with the token, at each of its sites.
func (t Token) entries(kind, by string, at time.Time) (entries []journal.Entry, err error) {
	data, err := json.Marshal(map[string]string{"by": by, "name": t.Name})
	for _, site := range operator.NotedAt(t.Sites) {
		entries = append(entries, journal.Entry{SiteID: site, At: at, Kind: kind, SubjectID: t.ID, Data: data})
	}
	return entries, err
}

// hashed is how a token is stored: a look at the table opens nothing. The token is random and long, so that no slow hash
// is needed.
func hashed(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

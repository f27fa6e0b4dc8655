// Package reply keeps the canned replies of sites: texts that operators write often. The console asks it.
package reply

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Max limits the canned replies of a site.
const Max = 200

// Errors in canned replies.
var (
	ErrUnknown = errors.New("there is no such reply")
	ErrWord    = errors.New("a reply has a word of 1 to 32 letters, digits or the signs - and _, which no other reply of the site has")
	ErrText    = errors.New("a reply has a text of at most 4000 characters")
	ErrPlace   = errors.New("the key of a reply is 1 to 9, and no other reply of the site has it")
	ErrMany    = fmt.Errorf("a site has at most %d replies", Max)
	ErrChanged = errors.New("the reply has been changed by somebody else meanwhile")
)

// Reply is a text that operators of a site write often.
type Reply struct {
	SiteID, ID int64
	// Word finds it, after a slash.
	Word string
	// Place is the digit that inserts it, pressed with Alt; 0 for none.
	Place int64
	Text  string
}

var replyWord = regexp.MustCompile(`^[\p{L}\p{N}_-]+$`)

// Check returns an error that says what is wrong with the reply by itself.
func (r Reply) Check() error {
	switch {
	case !utf8.ValidString(r.Word) || utf8.RuneCountInString(r.Word) > 32 || !replyWord.MatchString(r.Word):
		return ErrWord
	case strings.TrimSpace(r.Text) == "" || !utf8.ValidString(r.Text) || strings.ContainsRune(r.Text, 0) || utf8.RuneCountInString(r.Text) > chat.MaxText:
		return ErrText
	case r.Place < 0 || r.Place > 9:
		return ErrPlace
	}
	return nil
}

// Replies keeps the replies of all sites. It is safe for concurrent use.
type Replies struct {
	db  *db.DB
	ids *db.Sequence
}

// New returns the replies of the database.
func New(d *db.DB) *Replies {
	return &Replies{db: d, ids: d.Sequence("chat_replies", 1)}
}

// Of returns the replies of the site, ordered by word.
func (s *Replies) Of(ctx context.Context, siteID int64) ([]Reply, error) {
	return read(ctx, s.db.Read(), siteID)
}

func read(ctx context.Context, from db.Queries, siteID int64) ([]Reply, error) {
	list, err := db.List(ctx, from, func(r *Reply) []any { return []any{&r.SiteID, &r.ID, &r.Word, &r.Place, &r.Text} },
		`SELECT site_id, id, word, place, text FROM chat_replies WHERE site_id = $1 ORDER BY word, id`, siteID)
	if err != nil {
		return nil, fmt.Errorf("reading replies: %w", err)
	}
	return list, nil
}

// Keep adds the reply if its ID is 0, or changes the reply with the ID, and returns it as it is kept. The error may be
// that of [Reply.Check], [ErrUnknown] or [ErrMany].
func (s *Replies) Keep(ctx context.Context, r Reply) (Reply, error) { return s.keep(ctx, r, nil) }

// Replace is [Replies.Keep] for a reply that is still as the caller has seen it. The error is [ErrChanged] if it is not.
func (s *Replies) Replace(ctx context.Context, before, r Reply) (Reply, error) {
	return s.keep(ctx, r, &before)
}

func (s *Replies) keep(ctx context.Context, r Reply, before *Reply) (Reply, error) {
	r.Word = strings.ToLower(r.Word)
	if err := r.Check(); err != nil {
		return Reply{}, err
	}
	query := changing
	added := r.ID == 0
	if added {
		var err error
		if r.ID, err = s.ids.Next(ctx); err != nil {
			return Reply{}, err
		}
		query = adding
	}
	err := s.db.Attempt(ctx, r.SiteID, func(ctx context.Context, tx db.Tx) error { return put(ctx, tx, query, r, before, added) })
	return r, err
}

// Put adds the reply in a transaction, or changes the site's reply with its word. The reply has been checked, and its word
// is in small letters. The errors are those of [Replies.Keep].
func (s *Replies) Put(ctx context.Context, tx db.Tx, r Reply) error {
	others, err := read(ctx, tx, r.SiteID)
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(others, func(o Reply) bool { return o.Word == r.Word }); at >= 0 {
		r.ID = others[at].ID
		return put(ctx, tx, changing, r, nil, false)
	}
	if r.ID, err = s.ids.Take(ctx, tx, 1); err != nil {
		return err
	}
	return put(ctx, tx, adding, r, nil, true)
}

// The queries of [put].
const (
	changing = `UPDATE chat_replies SET word = $3, place = $4, text = $5 WHERE site_id = $1 AND id = $2`
	adding   = `INSERT INTO chat_replies (site_id, id, word, place, text) VALUES ($1, $2, $3, $4, $5)`
)

func put(ctx context.Context, tx db.Tx, query string, r Reply, before *Reply, added bool) error {
	others, err := read(ctx, tx, r.SiteID)
	if err != nil {
		return err
	}
	if added && len(others) >= Max {
		return ErrMany
	}
	for _, o := range others {
		switch {
		case o.ID == r.ID && before != nil && o != *before:
			return ErrChanged
		case o.ID == r.ID:
		case o.Word == r.Word:
			return ErrWord
		case o.Place == r.Place && r.Place != 0:
			return ErrPlace
		}
	}
	changed, err := tx.Exec(ctx, query, r.SiteID, r.ID, r.Word, r.Place, r.Text)
	if err != nil {
		return fmt.Errorf("keeping a reply: %w", err)
	}
	if changed == 0 {
		return ErrUnknown
	}
	return nil
}

// Remove removes the reply of the site, or returns [ErrUnknown].
func (s *Replies) Remove(ctx context.Context, siteID, id int64) error {
	return s.db.Attempt(ctx, siteID, func(ctx context.Context, tx db.Tx) error {
		changed, err := tx.Exec(ctx, `DELETE FROM chat_replies WHERE site_id = $1 AND id = $2`, siteID, id)
		if err != nil {
			return fmt.Errorf("removing a reply: %w", err)
		}
		if changed == 0 {
			return ErrUnknown
		}
		return nil
	})
}

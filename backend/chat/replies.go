package chat

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// MaxReplies limits the canned replies of a site.
const MaxReplies = 200

// Errors in canned replies.
var (
	ErrReply       = errors.New("there is no such reply")
	ErrReplyWord   = errors.New("a reply has a word of 1 to 32 letters, digits or the signs - and _, which no other reply of the site has")
	ErrReplyText   = errors.New("a reply has a text of at most 4000 characters")
	ErrReplyPlace  = errors.New("the key of a reply is 1 to 9, and no other reply of the site has it")
	ErrManyReplies = fmt.Errorf("a site has at most %d replies", MaxReplies)
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

var replyWord = regexp.MustCompile(`^[\p{L}\p{N}_-]{1,32}$`)

// Check returns an error that says what is wrong with the reply by itself.
func (r Reply) Check() error {
	switch {
	case !utf8.ValidString(r.Word) || !replyWord.MatchString(r.Word):
		return ErrReplyWord
	case strings.TrimSpace(r.Text) == "" || !utf8.ValidString(r.Text) || strings.ContainsRune(r.Text, 0) || utf8.RuneCountInString(r.Text) > MaxText:
		return ErrReplyText
	case r.Place < 0 || r.Place > 9:
		return ErrReplyPlace
	}
	return nil
}

// Replies returns the replies of the site, ordered by word.
func (c *Chats) Replies(ctx context.Context, siteID int64) ([]Reply, error) {
	return replies(ctx, c.db.Read(), siteID)
}

func replies(ctx context.Context, from db.Queries, siteID int64) ([]Reply, error) {
	list, err := db.List(ctx, from, func(r *Reply) []any { return []any{&r.SiteID, &r.ID, &r.Word, &r.Place, &r.Text} },
		`SELECT site_id, id, word, place, text FROM chat_replies WHERE site_id = $1 ORDER BY word, id`, siteID)
	if err != nil {
		return nil, fmt.Errorf("reading replies: %w", err)
	}
	return list, nil
}

// KeepReply adds the reply if its ID is 0, or changes the reply with the ID. The error may be that of [Reply.Check],
// [ErrReply] or [ErrManyReplies].
func (c *Chats) KeepReply(ctx context.Context, r Reply) error {
	r.Word = strings.ToLower(r.Word)
	if err := r.Check(); err != nil {
		return err
	}
	query := `UPDATE chat_replies SET word = $3, place = $4, text = $5 WHERE site_id = $1 AND id = $2`
	added := r.ID == 0
	if added {
		var err error
		if r.ID, err = c.replyIDs.Next(ctx); err != nil {
			return err
		}
		query = `INSERT INTO chat_replies (site_id, id, word, place, text) VALUES ($1, $2, $3, $4, $5)`
	}
	return c.db.Attempt(ctx, r.SiteID, func(ctx context.Context, tx db.Tx) error {
		others, err := replies(ctx, tx, r.SiteID)
		if err != nil {
			return err
		}
		if added && len(others) >= MaxReplies {
			return ErrManyReplies
		}
		for _, o := range others {
			switch {
			case o.ID == r.ID:
			case o.Word == r.Word:
				return ErrReplyWord
			case o.Place == r.Place && r.Place != 0:
				return ErrReplyPlace
			}
		}
		changed, err := tx.Exec(ctx, query, r.SiteID, r.ID, r.Word, r.Place, r.Text)
		if err != nil {
			return fmt.Errorf("keeping a reply: %w", err)
		}
		if changed == 0 {
			return ErrReply
		}
		return nil
	})
}

// RemoveReply removes the reply of the site, or returns [ErrReply].
func (c *Chats) RemoveReply(ctx context.Context, siteID, id int64) error {
	return c.db.Attempt(ctx, siteID, func(ctx context.Context, tx db.Tx) error {
		changed, err := tx.Exec(ctx, `DELETE FROM chat_replies WHERE site_id = $1 AND id = $2`, siteID, id)
		if err != nil {
			return fmt.Errorf("removing a reply: %w", err)
		}
		if changed == 0 {
			return ErrReply
		}
		return nil
	})
}

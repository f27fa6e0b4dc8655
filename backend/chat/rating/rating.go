// Package rating keeps what visitors say of conversations: whether they were helped, and a line.
package rating

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// MaxLine limits the characters of the line.
const MaxLine = 500

// Rated is the change in the journal's entry of the kind [chat.Changed] when a visitor has rated a conversation.
const Rated = "rated"

// ErrEarly is returned for a conversation that goes on, or in which no operator has said anything.
var ErrEarly = errors.New("the conversation cannot be rated now")

// Rating is what a visitor says of a conversation.
type Rating struct {
	chat.Key
	// OperatorID is who answered last.
	OperatorID int64
	// Good says that the visitor was helped.
	Good bool
	Line string
	At   time.Time
}

// Ratings keeps them. It is safe for concurrent use.
type Ratings struct {
	db  *db.DB
	now func() time.Time
}

// New returns the ratings of the database.
func New(d *db.DB, now func() time.Time) *Ratings { return &Ratings{d, now} }

// Rate stores what the visitor says of a closed conversation. It replaces what the visitor has said before, unless an
// operator has answered since. The error is [ErrEarly] or a [chat.Invalid].
func (r *Ratings) Rate(ctx context.Context, of chat.Conversation, good bool, line string) error {
	line = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(line, "\x00", ""), "\ufffd"))
	if utf8.RuneCountInString(line) > MaxLine {
		return chat.Invalid{Code: "too_long", Reason: fmt.Sprintf("a line has at most %d characters", MaxLine)}
	}
	return r.db.Write(ctx, int64(of.Visitor), func(ctx context.Context, tx db.Tx) error {
		const key = ` WHERE site_id = $1 AND conversation_id = $2`
		type answer struct{ seq, operator int64 }
		last, found, err := db.One(ctx, tx, func(a *answer) []any { return []any{&a.seq, &a.operator} }, `SELECT seq, operator_id FROM messages`+key+`
			AND author = 'operator' AND EXISTS (SELECT 1 FROM conversations c WHERE c.site_id = $1 AND c.id = $2 AND c.state = 'closed' AND c.unasked = 0)
			ORDER BY seq DESC LIMIT 1`, of.SiteID, of.ID)
		if err != nil {
			return fmt.Errorf("looking for an answer: %w", err)
		}
		if !found {
			return ErrEarly
		}
		at := r.now()
		changed, err := tx.Exec(ctx, `INSERT INTO chat_ratings (site_id, conversation_id, seq, operator_id, good, line, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (site_id, conversation_id, seq) DO UPDATE SET good = EXCLUDED.good, line = EXCLUDED.line, at = EXCLUDED.at
			WHERE chat_ratings.good <> EXCLUDED.good OR chat_ratings.line <> EXCLUDED.line`,
			of.SiteID, of.ID, last.seq, last.operator, good, line, at.UnixMilli())
		if err != nil {
			return fmt.Errorf("storing a rating: %w", err)
		}
		if changed == 0 {
			return nil
		}
		return journal.Append(ctx, tx, journal.Entry{SiteID: of.SiteID, At: at, Kind: chat.Changed, SubjectID: of.ID, VisitorID: int64(of.Visitor), Data: []byte(`{"change":"` + Rated + `"}`)})
	})
}

// Last are the latest ratings of the conversations that have one.
func (r *Ratings) Last(ctx context.Context, of []chat.Conversation) (map[chat.Key]Rating, error) {
	if len(of) == 0 {
		return nil, nil
	}
	keys := make([]chat.Key, len(of))
	for i := range of {
		keys[i] = of[i].Key()
	}
	type row struct {
		Rating
		at int64
	}
	values, args := db.Values(db.Padded(keys), func(k *chat.Key) []any { return []any{&k.SiteID, &k.ID} })
	rows, err := db.List(ctx, r.db.Read(), func(r *row) []any { return []any{&r.SiteID, &r.ID, &r.OperatorID, &r.Good, &r.Line, &r.at} }, `WITH wanted(site_id, id) AS (`+values+`)
		SELECT r.site_id, r.conversation_id, r.operator_id, r.good, r.line, r.at
		FROM wanted w JOIN chat_ratings r ON r.site_id = w.site_id AND r.conversation_id = w.id
			AND r.seq = (SELECT MAX(x.seq) FROM chat_ratings x WHERE x.site_id = w.site_id AND x.conversation_id = w.id)`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading ratings: %w", err)
	}
	last := make(map[chat.Key]Rating, len(rows))
	for _, r := range rows {
		r.Rating.At = time.UnixMilli(r.at)
		last[r.Key] = r.Rating
	}
	return last, nil
}

// Traces are the ratings of a person's conversations.
func Traces() trace.Subject {
	return trace.Subject{Tables: []trace.Table{
		{Name: "chat_ratings", By: trace.Conversation, Where: `site_id = $1 AND conversation_id = $2`, Texts: []string{"line"},
			Key: []string{"site_id", "conversation_id", "seq"}, Of: "conversation_id", Clear: true},
	}}
}

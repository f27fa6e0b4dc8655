package chat

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// MaxMessages limits the messages that one call returns.
const MaxMessages = 200

var conversationColumns = `SELECT site_id, id, visitor_id, visit_id, view_id, group_id, state, operator_id, seq, visitor_read, operator_read, read_before,
	opened_at, waiting_since, last_at, last_from, banned, url, language, lead_id, unasked, offered_to, offered_until, ` + Tags.Column()

// unread counts the visitor's messages that no operator has read.
const unread = `, (SELECT COUNT(*) FROM messages m WHERE m.site_id = conversations.site_id AND m.conversation_id = conversations.id
	AND m.seq > conversations.operator_read AND m.author = 'visitor') FROM conversations WHERE `

type conversationRow struct {
	Conversation
	opened, waiting, last int64
}

func (r *conversationRow) fields() []any {
	return []any{&r.SiteID, &r.ID, &r.Visitor, &r.Visit, &r.View, &r.GroupID, &r.State, &r.OperatorID, &r.Seq, &r.VisitorRead, &r.OperatorRead, &r.ReadBefore,
		&r.opened, &r.waiting, &r.last, &r.LastFrom, &r.Banned, &r.URL, &r.Language, &r.LeadID, &r.Unasked, &r.Offer.To, &r.Offer.Until, &r.tags}
}

func (r *conversationRow) conversation() Conversation {
	c := r.Conversation
	c.OpenedAt, c.LastAt = time.UnixMilli(r.opened), time.UnixMilli(r.last)
	c.WaitingSince = db.Time(r.waiting)
	return c
}

// lock reads the conversation within a write. Other nodes that want to change it wait.
func lock(ctx context.Context, tx db.Tx, where string, args ...any) (c Conversation, found bool, err error) {
	row, found, err := db.One(ctx, tx, (*conversationRow).fields, conversationColumns+` FROM conversations WHERE `+where+` FOR UPDATE`, args...)
	if err != nil {
		return Conversation{}, false, fmt.Errorf("reading a conversation: %w", err)
	}
	return row.conversation(), found, nil
}

// Get returns the conversation, or [ErrUnknown].
func (c *Chats) Get(ctx context.Context, siteID, id int64) (Conversation, error) {
	return one(read(ctx, c.db.Read(), `site_id = $1 AND id = $2`, siteID, id))
}

// Of returns the visitor's conversation on the site, or [ErrUnknown].
func (c *Chats) Of(ctx context.Context, siteID int64, visitor visit.ID) (Conversation, error) {
	return one(read(ctx, c.db.Read(), `site_id = $1 AND visitor_id = $2`, siteID, int64(visitor)))
}

// Named returns the conversations of the names, in no order. Those that are gone are missing. Name some hundreds at most.
func (c *Chats) Named(ctx context.Context, names []Key) ([]Conversation, error) {
	if len(names) == 0 {
		return nil, nil
	}
	set, args := db.Among(db.Padded(names), func(k *Key) []any { return []any{&k.SiteID, &k.ID} })
	return read(ctx, c.db.Read(), `(site_id, id) IN (`+set+`)`, args...)
}

func one(found []Conversation, err error) (Conversation, error) {
	if err != nil || len(found) == 0 {
		return Conversation{}, cmp.Or(err, ErrUnknown)
	}
	return found[0], nil
}

// read reads the conversations for which the condition holds.
func read(ctx context.Context, from db.Queries, where string, args ...any) ([]Conversation, error) {
	rows, err := db.List(ctx, from, func(r *conversationRow) []any { return append(r.fields(), &r.Unread) }, conversationColumns+unread+where, args...)
	if err != nil {
		return nil, fmt.Errorf("reading conversations: %w", err)
	}
	list := make([]Conversation, len(rows))
	for i := range rows {
		list[i] = rows[i].conversation()
	}
	return list, nil
}

// Filter narrows a list of conversations. The zero Filter is all of them.
type Filter struct {
	State      State  // one of the states; empty for any
	Live       bool   // leaves out closed conversations
	OperatorID int64  // of the conversations; 0 for any
	Tag        string // one of the tags; empty for any
}

// Cursor is a position in a list of conversations. The zero Cursor is its beginning.
type Cursor struct {
	LastAt time.Time
	ID     int64
}

// Cursor returns the position after the conversation.
func (c Conversation) Cursor() Cursor { return Cursor{c.LastAt, c.ID} }

// severalSites is how many sites are looked through side by side.
const severalSites = 64

// List returns conversations of the sites after the cursor, the latest first, at most limit. More than 64 sites are looked
// through as one list, in which conversations of others lie between.
func (c *Chats) List(ctx context.Context, sites scope.Sites, f Filter, after Cursor, limit int) ([]Conversation, error) {
	where, args := listed(sites, f, after, limit)
	return read(ctx, c.db.Read(), where+` ORDER BY last_at DESC, id DESC`, args...)
}

// listed is the condition that is true of the conversations in the list. Each part of it is in the order of an index.
func listed(sites scope.Sites, f Filter, after Cursor, limit int) (where string, args []any) {
	last, id := int64(math.MaxInt64), int64(math.MaxInt64)
	if after != (Cursor{}) {
		last, id = after.LastAt.UnixMilli(), after.ID
	}
	args = []any{last, id, limit}
	argument := func(value any) string {
		args = append(args, value)
		return fmt.Sprintf("$%d", len(args))
	}
	at, filtered := `last_at`, `(last_at, id) < ($1, $2)`
	if f.State != "" {
		filtered += ` AND state = ` + argument(string(f.State))
	}
	if f.Live || f.State != "" && f.State != Closed { // as of the index
		filtered += ` AND state <> 'closed'`
	}
	if f.OperatorID != 0 { // who has few, all of them open: they are sorted
		at, filtered = `last_at + 0 AS last_at`, filtered+` AND state = 'open' AND operator_id = `+argument(f.OperatorID)
	}
	if f.Tag != "" {
		filtered += ` AND ` + Tags.Has(argument(f.Tag))
	}
	parts := []string{sites.SQL("+site_id")}
	if ids := sites.IDs(); 0 < len(ids) && len(ids) <= severalSites && f.OperatorID == 0 {
		parts = nil
		for _, id := range ids {
			parts = append(parts, scope.Of(id).SQL("site_id"))
		}
	}
	for i := range parts {
		parts[i] = `SELECT site_id, id, ` + at + ` FROM conversations WHERE ` + filtered + ` AND ` + parts[i]
	}
	return `(site_id, id) IN (SELECT site_id, id FROM (` + strings.Join(parts, ` UNION ALL `) + ` ORDER BY last_at DESC, id DESC LIMIT $3) AS newest)`, args
}

const messageColumns = `SELECT m.site_id, m.conversation_id, m.seq, m.author, m.operator_id, m.client_id, m.code, m.text, m.at,
	m.file_id, COALESCE(f.name, ''), COALESCE(f.type, ''), COALESCE(f.size, 0), COALESCE(f.pixels, 0)
	FROM messages m LEFT JOIN chat_files f ON f.site_id = m.site_id AND f.id = m.file_id WHERE m.site_id = $1 AND m.conversation_id = $2`

type messageRow struct {
	Message
	at   int64
	file file.File
}

func (r *messageRow) fields() []any {
	return []any{&r.SiteID, &r.ConversationID, &r.Seq, &r.Author, &r.OperatorID, &r.ClientID, &r.Code, &r.Text, &r.at,
		&r.file.ID, &r.file.Name, &r.file.Type, &r.file.Size, &r.file.Pixels}
}

func (r *messageRow) message() Message {
	m := r.Message
	m.At = time.UnixMilli(r.at)
	if r.file.ID != 0 {
		file := r.file
		m.File = &file
	}
	return m
}

// Messages returns the entries of the conversation after the number, in order, with notes: at most limit or
// [MaxMessages].
func (c *Chats) Messages(ctx context.Context, siteID, id, after int64, limit int) ([]Message, error) {
	return behind(ctx, c.db.Read(), messageColumns, siteID, id, after, limit)
}

// Before returns the entries of the conversation before the number, the latest limit or [MaxMessages] of them, in
// order, with notes. For 0 it returns the last ones.
func (c *Chats) Before(ctx context.Context, siteID, id, seq int64, limit int) ([]Message, error) {
	return before(ctx, c.db.Read(), messageColumns, siteID, id, seq, limit)
}

// toldColumns are the columns that the visitor sees.
const toldColumns = messageColumns + ` AND m.author <> 'note'`

// Told is [Chats.Messages] without notes, which are for operators only.
func (c *Chats) Told(ctx context.Context, siteID, id, after int64, limit int) ([]Message, error) {
	return behind(ctx, c.db.Read(), toldColumns, siteID, id, after, limit)
}

// ToldBefore is [Chats.Before] without notes.
func (c *Chats) ToldBefore(ctx context.Context, siteID, id, seq int64, limit int) ([]Message, error) {
	return before(ctx, c.db.Read(), toldColumns, siteID, id, seq, limit)
}

func behind(ctx context.Context, from db.Queries, columns string, siteID, id, after int64, limit int) ([]Message, error) {
	return messages(ctx, from, columns+` AND m.seq > $3 ORDER BY m.seq LIMIT $4`, siteID, id, after, min(limit, MaxMessages))
}

func before(ctx context.Context, from db.Queries, columns string, siteID, id, seq int64, limit int) ([]Message, error) {
	if seq == 0 {
		seq = math.MaxInt64
	}
	list, err := messages(ctx, from, columns+` AND m.seq < $3 ORDER BY m.seq DESC LIMIT $4`, siteID, id, seq, min(limit, MaxMessages))
	slices.Reverse(list)
	return list, err
}

func messages(ctx context.Context, from db.Queries, query string, args ...any) ([]Message, error) {
	rows, err := db.List(ctx, from, (*messageRow).fields, query, args...)
	if err != nil {
		return nil, fmt.Errorf("reading messages: %w", err)
	}
	list := make([]Message, len(rows))
	for i := range rows {
		list[i] = rows[i].message()
	}
	return list, nil
}

// Read records that a side, Visitor or Operator, has read the conversation up to the number. The number never goes
// back.
func (c *Chats) Read(ctx context.Context, siteID, id int64, by Author, seq int64) error {
	return c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		column, was, change := "visitor_read", now.VisitorRead, VisitorRead
		if by == Operator {
			column, was, change = "operator_read", now.OperatorRead, OperatorRead
		}
		seq := min(seq, now.Seq)
		if seq <= was {
			return nil
		}
		if _, err := tx.Exec(ctx, `UPDATE conversations SET `+column+` = $1 WHERE site_id = $2 AND id = $3`, seq, siteID, id); err != nil {
			return fmt.Errorf("noting what was read: %w", err)
		}
		return c.tell(ctx, tx, *now, change, 0, seq)
	})
}

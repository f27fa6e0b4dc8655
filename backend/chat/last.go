package chat

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Key names a conversation.
type Key struct{ SiteID, ID int64 }

// Key returns the key of the conversation.
func (c Conversation) Key() Key { return Key{c.SiteID, c.ID} }

// Last returns the latest entries of the conversations that somebody has written for both sides to see. What the service
// says by a code is left out: it is the same in all conversations.
func (c *Chats) Last(ctx context.Context, of []Conversation) (map[Key]Message, error) {
	if len(of) == 0 {
		return nil, nil
	}
	keys := make([]Key, len(of))
	for i := range of {
		keys[i] = of[i].Key()
	}
	values, args := db.Values(db.Padded(keys), func(k *Key) []any { return []any{&k.SiteID, &k.ID} })
	rows, err := db.List(ctx, c.db.Read(), (*messageRow).fields, `WITH wanted(site_id, id) AS (`+values+`)
		SELECT m.site_id, m.conversation_id, m.seq, m.author, m.operator_id, m.client_id, m.code, m.text, m.at,
			m.file_id, COALESCE(f.name, ''), COALESCE(f.type, ''), COALESCE(f.size, 0), COALESCE(f.pixels, 0)
		FROM wanted w JOIN messages m ON m.site_id = w.site_id AND m.conversation_id = w.id
			AND m.seq = (SELECT MAX(x.seq) FROM messages x WHERE x.site_id = w.site_id AND x.conversation_id = w.id AND x.author <> 'note' AND x.code = '')
		LEFT JOIN chat_files f ON f.site_id = m.site_id AND f.id = m.file_id`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the last messages: %w", err)
	}
	last := make(map[Key]Message, len(rows))
	for i := range rows {
		m := rows[i].message()
		last[Key{m.SiteID, m.ConversationID}] = m
	}
	return last, nil
}

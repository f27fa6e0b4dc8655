package overview

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Said is what somebody has written last, as lists show it.
type Said struct {
	chat.Key
	Author chat.Author
	// Text is empty where a file was sent alone, whose name is File.
	Text, File string
}

// Last returns the latest entries of the conversations that somebody has written for both sides to see. What the service
// says by a code is left out: it is the same in all conversations.
func (o *Overview) Last(ctx context.Context, of []chat.Conversation) (map[chat.Key]Said, error) {
	if len(of) == 0 {
		return nil, nil
	}
	keys := make([]chat.Key, len(of))
	for i := range of {
		keys[i] = of[i].Key()
	}
	values, args := db.Values(db.Padded(keys), func(k *chat.Key) []any { return []any{&k.SiteID, &k.ID} })
	rows, err := db.List(ctx, o.db.Read(), func(s *Said) []any { return []any{&s.SiteID, &s.ID, &s.Author, &s.Text, &s.File} }, `WITH wanted(site_id, id) AS (`+values+`)
		SELECT m.site_id, m.conversation_id, m.author, m.text, COALESCE(f.name, '')
		FROM wanted w JOIN messages m ON m.site_id = w.site_id AND m.conversation_id = w.id
			AND m.seq = (SELECT MAX(x.seq) FROM messages x WHERE x.site_id = w.site_id AND x.conversation_id = w.id AND x.author <> 'note' AND x.code = '')
		LEFT JOIN chat_files f ON f.site_id = m.site_id AND f.id = m.file_id`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the last messages: %w", err)
	}
	last := make(map[chat.Key]Said, len(rows))
	for _, said := range rows {
		last[said.Key] = said
	}
	return last, nil
}

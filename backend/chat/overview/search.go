package overview

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Match is a conversation in which something was said, with the latest message that says it. Notes and the names of
// files count, too.
type Match struct {
	chat.Conversation
	Said Said
}

const (
	// searchedAtOnce is how many conversations are read at once, and messagesAtOnce how many messages.
	searchedAtOnce, messagesAtOnce = 100, 500
	// maxTyped is how many bytes of a search count.
	maxTyped = 400
)

// Search looks for conversations of the sites that the filter leaves, with a message that has all the words, in any order and case. It begins
// behind the cursor, with the latest, and ends when there are limit of them or the patience is over. next is where it
// has come to; the zero Cursor if all were looked through. What was said in the last seconds may be missing.
func (o *Overview) Search(ctx context.Context, sites scope.Sites, f chat.Filter, typed string, after chat.Cursor, limit int, patience time.Duration) (found []Match, next chat.Cursor, err error) {
	words := wordsOf(typed)
	if len(words) == 0 {
		return nil, next, nil
	}
	hurried, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for next = after; ; {
		some, err := o.chats.List(hurried, sites, f, next, searchedAtOnce)
		for part := range together(some) {
			if err != nil {
				break
			}
			var said map[chat.Key]Said
			said, err = o.saying(hurried, part, words)
			for i := 0; err == nil && i < len(part); i++ {
				s, has := said[part[i].Key()]
				if next = part[i].Cursor(); has {
					found = append(found, Match{part[i], s})
				}
				if len(found) == limit {
					return found, next, nil
				}
			}
		}
		switch {
		case err != nil && ctx.Err() == nil && hurried.Err() != nil:
			return found, next, nil
		case err != nil:
			return nil, next, err
		case len(some) < searchedAtOnce:
			return found, chat.Cursor{}, nil
		}
	}
}

// together cuts the conversations into parts of messagesAtOnce entries at most. A longer conversation is a part by itself.
func together(all []chat.Conversation) iter.Seq[[]chat.Conversation] {
	return func(yield func([]chat.Conversation) bool) {
		for len(all) > 0 {
			n, entries := 1, all[0].Seq
			for n < len(all) && entries+all[n].Seq <= messagesAtOnce {
				entries += all[n].Seq
				n++
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}

// saying is the latest message of each of the conversations that has all the words, where there is one.
func (o *Overview) saying(ctx context.Context, some []chat.Conversation, words []string) (map[chat.Key]Said, error) {
	found := make(map[chat.Key]Said)
	if len(some) == 1 {
		said, has, err := o.says(ctx, some[0].Key(), words)
		if has {
			found[said.Key] = said
		}
		return found, err
	}
	values, args := db.Values(db.Padded(some), func(c *chat.Conversation) []any { return []any{&c.SiteID, &c.ID, &c.Seq} })
	rows, err := db.List(ctx, o.db.Lagging(), func(s *Said) []any { return []any{&s.SiteID, &s.ID, &s.Author, &s.Text, &s.File} },
		`WITH wanted(site_id, id, seq) AS (`+values+`) SELECT m.site_id, m.conversation_id, m.author, m.text, COALESCE(f.name, '')
		FROM wanted w JOIN messages m ON m.site_id = w.site_id AND m.conversation_id = w.id AND m.seq <= w.seq AND m.code = ''
		LEFT JOIN chat_files f ON f.site_id = m.site_id AND f.id = m.file_id ORDER BY m.seq DESC`, args...)
	if err != nil {
		return nil, fmt.Errorf("searching conversations: %w", err)
	}
	for _, said := range rows {
		if _, later := found[said.Key]; !later && said.has(words) {
			found[said.Key] = said
		}
	}
	return found, nil
}

// Says tells whether a message of the conversation has all the words that were typed, as [Overview.Search] finds it.
func (o *Overview) Says(ctx context.Context, of chat.Key, typed string) (bool, error) {
	_, has, err := o.says(ctx, of, wordsOf(typed))
	return has, err
}

func wordsOf(typed string) []string {
	return strings.Fields(strings.ToLower(typed[:min(len(typed), maxTyped)]))
}

// says is the latest message of the conversation that has all the words.
func (o *Overview) says(ctx context.Context, of chat.Key, words []string) (said Said, has bool, err error) {
	type row struct {
		Said
		seq int64
	}
	for before := int64(1<<62 - 1); ; {
		rows, err := db.List(ctx, o.db.Lagging(), func(r *row) []any { return []any{&r.seq, &r.Author, &r.Text, &r.File} },
			`SELECT m.seq, m.author, m.text, COALESCE(f.name, '') FROM messages m LEFT JOIN chat_files f ON f.site_id = m.site_id AND f.id = m.file_id
			WHERE m.site_id = $1 AND m.conversation_id = $2 AND m.seq < $3 AND m.code = '' ORDER BY m.seq DESC LIMIT $4`, of.SiteID, of.ID, before, messagesAtOnce)
		if err != nil {
			return said, false, fmt.Errorf("searching conversations: %w", err)
		}
		for _, r := range rows {
			before = r.seq
			if r.has(words) {
				r.Key = of
				return r.Said, true, nil
			}
		}
		if len(rows) < messagesAtOnce {
			return said, false, nil
		}
	}
}

// has tells whether all the words, in lower case, stand in the message.
func (s *Said) has(words []string) bool {
	text := strings.ToLower(s.Text + "\n" + s.File)
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

package chat_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Erasing a person takes the conversation with all that is in it, and leaves others alone.
func TestTraces(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		ann, other := s.Visitor(), s.Visitor()
		began, _, err := s.Chats.SayFrom(t.Context(), ann, chat.Message{File: &file.File{Name: "a.txt", Content: []byte("text")}})
		require.NoError(t, err)
		s.Answers(began, 3, "Hello")
		left, _ := s.Asks(other, "Hello")
		require.NoError(t, s.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO chat_letters (site_id, conversation_id, due, seq, address, day, count) VALUES ($1, $2, FALSE, 2, 'ann@mail.example', 1, 1)`, site, began.ID)
			if err == nil {
				_, err = tx.Exec(ctx, `INSERT INTO chat_tried (site_id, conversation_id, operator_id) VALUES ($1, $2, 3)`, site, began.ID)
			}
			return err
		}))
		require.NoError(t, chat.SetTags(t.Context(), s.Chats, began.Key(), 3, []string{"Ann", "lamps"}))
		traces := s.Chats.Traces()
		visitor := trace.Mark{Kind: trace.Visitor, SiteID: site, ID: int64(ann.Visitor)}
		marks, err := traces.Find(t.Context(), s.DB.Read(), visitor)
		require.NoError(t, err)
		of := trace.Mark{Kind: trace.Conversation, SiteID: site, ID: began.ID}
		require.Contains(t, marks, of)
		rows := map[string]int64{}
		for _, table := range traces.Tables {
			if table.By != trace.Conversation {
				continue
			}
			rows[table.Name], err = table.Count(t.Context(), s.DB.Read(), of)
			require.NoError(t, err)
			require.NoError(t, s.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				_, err := table.Erase(ctx, tx, of)
				return err
			}))
		}
		require.Equal(t, map[string]int64{"chat_files": 1, "chat_letters": 1, "chat_waits": 1, "chat_inquiries": 1, "chat_tried": 1, "messages": 3, "conversation_tags": 2, "conversations": 1}, rows)
		_, err = s.Chats.Get(t.Context(), site, began.ID)
		require.ErrorIs(t, err, chat.ErrUnknown)
		require.Equal(t, left.ID, s.Get(left).ID)
		require.Equal(t, []string{"1 visitor Hello"}, s.Texts(left, 0))
	})
}

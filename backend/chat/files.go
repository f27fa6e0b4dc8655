package chat

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

// maxFiles limits the files of a conversation, and maxFileBytes their bytes.
const maxFiles, maxFileBytes = 50, 50 << 20

// storeFile stores the file of the message, unless the conversation has the maximum number of files.
func storeFile(ctx context.Context, tx db.Tx, m Message, f *file.File) (*file.File, error) {
	type sum struct{ count, bytes int64 }
	has, _, err := db.One(ctx, tx, func(s *sum) []any { return []any{&s.count, &s.bytes} },
		`SELECT COUNT(*), COALESCE(SUM(size), 0) FROM chat_files WHERE site_id = $1 AND conversation_id = $2`, m.SiteID, m.ConversationID)
	if err != nil {
		return nil, fmt.Errorf("counting files: %w", err)
	}
	if has.count >= maxFiles || has.bytes+f.Size > maxFileBytes {
		return nil, invalid("too_many", "a conversation has at most %d files and %d bytes of them", maxFiles, maxFileBytes)
	}
	err = tx.Send(ctx, `INSERT INTO chat_files (site_id, id, conversation_id, author, name, type, size, pixels, at, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		m.SiteID, f.ID, m.ConversationID, string(m.Author), f.Name, f.Type, f.Size, f.Pixels, m.At.UnixMilli(), f.Content)
	if err != nil {
		return nil, fmt.Errorf("storing a file: %w", err)
	}
	return &file.File{ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size, Pixels: f.Pixels}, nil
}

// File returns a file of the conversation with its content, or [ErrUnknown]. Files of notes are for operators only.
func (c *Chats) File(ctx context.Context, siteID, conversation, id int64, by Author) (file.File, error) {
	type row struct {
		file.File
		author Author
	}
	r, found, err := db.One(ctx, c.db.Read(), func(r *row) []any { return []any{&r.ID, &r.Name, &r.Type, &r.Size, &r.Pixels, &r.author, &r.Content} },
		`SELECT id, name, type, size, pixels, author, content FROM chat_files WHERE site_id = $1 AND id = $2 AND conversation_id = $3`, siteID, id, conversation)
	if err != nil {
		return file.File{}, fmt.Errorf("reading a file: %w", err)
	}
	if !found || by == Visitor && r.author == Note {
		return file.File{}, ErrUnknown
	}
	return r.File, nil
}

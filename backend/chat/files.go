package chat

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

// maxFiles limits the files of a conversation, and maxFileBytes their bytes.
const maxFiles, maxFileBytes = 50, 50 << 20

// storeFile stores the file of the message, unless the conversation has the maximum number of files.
func storeFile(ctx context.Context, tx db.Tx, m Message, f *file.File) (*file.File, error) {
	place := file.Place{SiteID: m.SiteID, Conversation: m.ConversationID}
	count, bytes, err := place.Count(ctx, tx)
	if err != nil {
		return nil, err
	}
	if count >= maxFiles || bytes+f.Size > maxFileBytes {
		return nil, invalid("too_many", "a conversation has at most %d files and %d bytes of them", maxFiles, maxFileBytes)
	}
	if err := place.Store(ctx, tx, f, string(m.Author), m.At); err != nil {
		return nil, err
	}
	return &file.File{ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size, Pixels: f.Pixels}, nil
}

// File returns a file of the conversation with its content, or [ErrUnknown]. Files of notes are for operators only.
func (c *Chats) File(ctx context.Context, siteID, conversation, id int64, by Author) (file.File, error) {
	f, author, found, err := file.Place{SiteID: siteID, Conversation: conversation}.Read(ctx, c.db.Read(), id)
	if err == nil && (!found || by == Visitor && Author(author) == Note) {
		return file.File{}, ErrUnknown
	}
	return f, err
}

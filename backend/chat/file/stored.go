package file

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Place is where a file is stored: with a conversation.
type Place struct{ SiteID, Conversation int64 }

// Count returns how many files are there, and how many bytes they have.
func (p Place) Count(ctx context.Context, from db.Queries) (files, bytes int64, err error) {
	type sum struct{ count, bytes int64 }
	has, _, err := db.One(ctx, from, func(s *sum) []any { return []any{&s.count, &s.bytes} },
		`SELECT COUNT(*), COALESCE(SUM(size), 0) FROM chat_files WHERE site_id = $1 AND conversation_id = $2`, p.SiteID, p.Conversation)
	if err != nil {
		return 0, 0, fmt.Errorf("counting files: %w", err)
	}
	return has.count, has.bytes, nil
}

// Store stores a file of the author there.
func (p Place) Store(ctx context.Context, tx db.Tx, f *File, author string, at time.Time) error {
	err := tx.Send(ctx, `INSERT INTO chat_files (site_id, id, conversation_id, author, name, type, size, pixels, at, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		p.SiteID, f.ID, p.Conversation, author, f.Name, f.Type, f.Size, f.Pixels, at.UnixMilli(), f.Content)
	if err != nil {
		return fmt.Errorf("storing a file: %w", err)
	}
	return nil
}

// Read returns a file that is there, with its content, and its author; found is false if there is no such file.
func (p Place) Read(ctx context.Context, from db.Queries, id int64) (f File, author string, found bool, err error) {
	type row struct {
		File
		author string
	}
	r, found, err := db.One(ctx, from, func(r *row) []any { return []any{&r.ID, &r.Name, &r.Type, &r.Size, &r.Pixels, &r.author, &r.Content} },
		`SELECT id, name, type, size, pixels, author, content FROM chat_files WHERE site_id = $1 AND id = $2 AND conversation_id = $3`, p.SiteID, id, p.Conversation)
	if err != nil {
		return File{}, "", false, fmt.Errorf("reading a file: %w", err)
	}
	return r.File, r.author, found, nil
}

package chat

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-3405227d/frontdesk/backend/chat/pixels"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

const (
	// MaxFile is the largest size of a file in bytes.
	MaxFile = 5 << 20
	// maxFiles limits the files of a conversation, and maxFileBytes their bytes.
	maxFiles, maxFileBytes = 50, 50 << 20
	// maxFileName is the size in bytes to which a file's name is cut.
	maxFileName = 200
)

// FileTypes are the types of files that may be sent, as their content shows them.
var FileTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "text/plain", "application/zip"}

// File is a file that was sent with a message.
type File struct {
	ID int64
	// Name is the sender's name for it, without folders and control characters. Its ending matches the type, so that no
	// system takes the file for a program.
	Name string
	// Type is the type of its content, one of [FileTypes].
	Type string
	Size int64
	// Pixels counts the pixels of a picture over all of its frames; 0 for other files, and for pictures sent before
	// this was counted.
	Pixels int64
	// Content is nil if only the file's properties were read.
	Content []byte
}

// maxPixels limits the pixels of a picture that is shown, over all of its frames. A browser needs four bytes for each;
// 250 KB of a file can hold 256 million.
const maxPixels = 25_000_000

// IsShown reports whether a browser may show the file, not only save it: it is a picture that needs at most some 100 MB
// in the browser.
func (f File) IsShown() bool {
	return strings.HasPrefix(f.Type, "image/") && 0 < f.Pixels && f.Pixels <= maxPixels
}

// Check finds the type of the file by its content and makes its name harmless. It returns an [Invalid] if the file may
// not be sent.
func (f *File) Check() error {
	switch {
	case len(f.Content) == 0:
		return invalid("empty", "the file is empty")
	case len(f.Content) > MaxFile:
		return invalid("too_large", "a file has at most %d bytes", MaxFile)
	}
	found, _, err := mime.ParseMediaType(http.DetectContentType(f.Content))
	if err != nil || !slices.Contains(FileTypes, found) {
		return invalid("wrong_type", "files of this type are not taken: expected PNG, JPEG, GIF, WebP, PDF, ZIP or plain text")
	}
	f.Type, f.Size, f.Name, f.Pixels = found, int64(len(f.Content)), ending(harmless(f.Name), found), pixels.Of(f.Content, found)
	return nil
}

// endings are the endings of file names, by type. Office documents are ZIP files. Those with macros are left out, and
// so are texts that a system or a browser runs.
var endings = map[string][]string{
	"image/png": {".png"}, "image/jpeg": {".jpg", ".jpeg"}, "image/gif": {".gif"}, "image/webp": {".webp"}, "application/pdf": {".pdf"},
	"application/zip": {".zip", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp"},
	"text/plain":      {".txt", ".csv", ".tsv", ".log", ".md", ".json", ".ics", ".vcf"},
}

// ending returns the name with an ending of its type. It adds the first one if there is none.
func ending(name, of string) string {
	known := endings[of]
	if len(known) == 0 || slices.Contains(known, strings.ToLower(path.Ext(name))) {
		return name
	}
	return clip.Text(name, maxFileName-len(known[0])) + known[0]
}

// harmless returns the last part of a name without characters that control how it is shown: line breaks, and marks that
// turn the direction of the text.
func harmless(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	name = strings.TrimSpace(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if name == "." || name == "/" || name == "" || name == ".." {
		return "file"
	}
	return clip.Text(name, maxFileName)
}

// store stores the file of the message, unless the conversation has the maximum number of files.
func (f *File) store(ctx context.Context, tx db.Tx, m Message) (*File, error) {
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
	return &File{ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size, Pixels: f.Pixels}, nil
}

// File returns a file of the conversation with its content, or [ErrUnknown]. Files of notes are for operators only.
func (c *Chats) File(ctx context.Context, siteID, conversation, id int64, by Author) (File, error) {
	type row struct {
		File
		author Author
	}
	r, found, err := db.One(ctx, c.db.Read(), func(r *row) []any { return []any{&r.ID, &r.Name, &r.Type, &r.Size, &r.Pixels, &r.author, &r.Content} },
		`SELECT id, name, type, size, pixels, author, content FROM chat_files WHERE site_id = $1 AND id = $2 AND conversation_id = $3`, siteID, id, conversation)
	if err != nil {
		return File{}, fmt.Errorf("reading a file: %w", err)
	}
	if !found || by == Visitor && r.author == Note {
		return File{}, ErrUnknown
	}
	r.Name = ending(r.Name, r.Type) // earlier programs kept others
	return r.File, nil
}

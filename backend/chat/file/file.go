// Package file knows the files that may be sent in conversations: their types, which their content shows, and names that
// do no harm. It stores them, for conversations that ask it before.
package file

import (
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-3405227d/frontdesk/backend/chat/pixels"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

const (
	// Max is the largest size of a file in bytes.
	Max = 5 << 20
	// maxName is the size in bytes to which a file's name is cut.
	maxName = 200
)

// Types are the types of files that may be sent, as their content shows them.
var Types = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/heic", "application/pdf", "text/plain", "application/zip", "audio/mpeg", "video/mp4",
}

// Wrong says why a file may not be sent. The sender has made the mistake.
type Wrong struct {
	// Code is a word for programs: empty, wrong_type, too_large.
	Code string
	// Reason is a sentence that never repeats the sender's text.
	Reason string
}

func (w Wrong) Error() string { return w.Reason }

// File is a file that was sent with a message.
type File struct {
	ID int64
	// Name is the sender's name for it, without folders and control characters. Its ending matches the type, so that no
	// system takes the file for a program.
	Name string
	// Type is the type of its content, one of [Types].
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

// Check finds the type of the file by its content and makes its name harmless. The error is a [Wrong] if the file may not
// be sent.
func (f *File) Check() error {
	switch {
	case len(f.Content) == 0:
		return Wrong{"empty", "the file is empty"}
	case len(f.Content) > Max:
		return Wrong{"too_large", fmt.Sprintf("a file has at most %d bytes", Max)}
	}
	found := typeOf(f.Content)
	if !slices.Contains(Types, found) {
		return Wrong{"wrong_type", "files of this type are not taken: expected PNG, JPEG, GIF, WebP, HEIC, PDF, ZIP, MP3, MP4 or plain text"}
	}
	f.Type, f.Size, f.Name, f.Pixels = found, int64(len(f.Content)), ending(harmless(f.Name), found), pixels.Of(f.Content, found)
	return nil
}

// typeOf is the type of the content; empty if it is not known. [http.DetectContentType] knows neither the pictures of
// telephones nor sound without a title, and of films only those whose boxes name MP4.
func typeOf(content []byte) string {
	if box := len("....ftyp...."); len(content) >= box && string(content[4:8]) == "ftyp" {
		// The brand of the first box (ISO/IEC 14496-12, 4.3, and 23008-12, 10.2).
		switch brand := string(content[8:box]); {
		case slices.Contains([]string{"heic", "heix", "heim", "heis", "mif1"}, brand):
			return "image/heic"
		case brand == "avc1", strings.HasPrefix(brand, "iso"), strings.HasPrefix(brand, "mp4"), strings.HasPrefix(brand, "M4"):
			return "video/mp4"
		}
	}
	// A frame of layer III begins so, and has a rate that is defined (ISO/IEC 11172-3, 2.4.1.3).
	if len(content) >= 4 && content[0] == 0xff && content[1]&0xe6 == 0xe2 && content[1]&0x18 != 0x08 && content[2]&0xf0 != 0xf0 && content[2]&0x0c != 0x0c {
		return "audio/mpeg"
	}
	found, _, err := mime.ParseMediaType(http.DetectContentType(content))
	if err != nil {
		return ""
	}
	return found
}

// endings are the endings of file names, by type. Office documents are ZIP files. Those with macros are left out, and
// so are texts that a system or a browser runs.
var endings = map[string][]string{
	"image/png": {".png"}, "image/jpeg": {".jpg", ".jpeg"}, "image/gif": {".gif"}, "image/webp": {".webp"}, "image/heic": {".heic", ".heif"}, "application/pdf": {".pdf"},
	"application/zip": {".zip", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp"},
	"audio/mpeg":      {".mp3"}, "video/mp4": {".mp4", ".m4v", ".m4a"},
	"text/plain": {".txt", ".csv", ".tsv", ".log", ".md", ".json", ".ics", ".vcf"},
}

// ending returns the name with an ending of its type. It adds the first one if there is none.
func ending(name, of string) string {
	known := endings[of]
	if len(known) == 0 || slices.Contains(known, strings.ToLower(path.Ext(name))) {
		return name
	}
	return clip.Text(name, maxName-len(known[0])) + known[0]
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
	return clip.Text(name, maxName)
}

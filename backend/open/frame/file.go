package frame

import (
	"mime"
)

// File is an answer that is a file, which is to be saved: nothing of it runs where it is opened by mistake.
type File struct {
	Type        string `header:"Content-Type" hidden:"true"`
	Disposition string `header:"Content-Disposition" doc:"The name of the file."`
	Policy      string `header:"Content-Security-Policy" hidden:"true"`
	Body        []byte
}

// FileOf is the answer with the file of the name, the type and the content.
func FileOf(name, kind string, content []byte) *File {
	return &File{
		Type: kind, Disposition: mime.FormatMediaType("attachment", map[string]string{"filename": name}), Policy: "default-src 'none'; sandbox", Body: content,
	}
}

// Package docs has the documentation, as it is part of the program.
package docs

import "embed"

// Files are the pages in Markdown, the schemas and the pictures.
//
//go:embed *.md *.json images
var Files embed.FS

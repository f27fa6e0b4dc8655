package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:generate go run ./build

//go:embed dist static
var files embed.FS

// asset is a file that pages refer to, under an address that changes with its
// content.
type asset struct {
	path, kind   string
	plain, gzips []byte
}

// served are the files and what they are put together from. The scripts are
// one: htmx begins with the page as soon as it is left alone, and what extends
// it must be there by then.
var served = map[string][]string{
	"console.js":  {"dist/htmx.js", "dist/hx-sse.js", "static/console.js"},
	"console.css": {"static/console.css"},
	"mark.svg":    {"static/mark.svg"},
}

var kinds = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

var assets, icons = loadAssets(), loadIcons()

func loadAssets() map[string]asset {
	loaded := make(map[string]asset)
	for name, parts := range served {
		var content, packed bytes.Buffer
		for _, part := range parts {
			content.Write(embedded(part))
			content.WriteByte('\n')
		}
		zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			panic(err) // the level is one
		}
		zip.Write(content.Bytes())
		zip.Close()
		sum := sha256.Sum256(content.Bytes())
		loaded[name] = asset{
			path:  "/assets/" + base64.RawURLEncoding.EncodeToString(sum[:9]) + "/" + name,
			kind:  kinds[path.Ext(name)],
			plain: content.Bytes(), gzips: packed.Bytes(),
		}
	}
	return loaded
}

// loadIcons reads the signs as HTML. They are the console's own, with nobody
// else's text in them.
func loadIcons() map[string]template.HTML {
	entries, err := fs.ReadDir(files, "dist/icons")
	if err != nil {
		panic(err) // embedded
	}
	loaded := make(map[string]template.HTML, len(entries))
	for _, entry := range entries {
		drawing := embedded("dist/icons/" + entry.Name())
		loaded[strings.TrimSuffix(entry.Name(), ".svg")] = template.HTML(bytes.TrimSpace(drawing))
	}
	return loaded
}

func embedded(name string) []byte {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // embedded, and read by every test
	}
	return content
}

func isAsset(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/assets/") }

func serveAsset(w http.ResponseWriter, r *http.Request) {
	a, found := assets[r.PathValue("name")]
	if !found || a.path != r.URL.Path {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	content := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		content = a.gzips
	}
	w.Write(content)
}

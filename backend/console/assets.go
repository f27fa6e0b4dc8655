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

var assets, icons = loadAssets()

func loadAssets() (map[string]asset, map[string]template.HTML) {
	kinds := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
	found := make(map[string]asset)
	drawn := make(map[string]template.HTML)
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := files.ReadFile(file)
		if err != nil {
			return err
		}
		name, ext := path.Base(file), path.Ext(file)
		if path.Dir(file) == "dist/icons" {
			drawn[strings.TrimSuffix(name, ext)] = template.HTML(bytes.TrimSpace(content)) // drawn by us, with nobody's text in it
			return nil
		}
		if kinds[ext] == "" {
			return nil
		}
		sum := sha256.Sum256(content)
		var packed bytes.Buffer
		zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		zip.Write(content)
		zip.Close()
		found[name] = asset{
			path:  "/assets/" + base64.RawURLEncoding.EncodeToString(sum[:9]) + "/" + name,
			kind:  kinds[ext],
			plain: content, gzips: packed.Bytes(),
		}
		return nil
	})
	if err != nil {
		panic(err) // embedded, and read by every test
	}
	return found, drawn
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

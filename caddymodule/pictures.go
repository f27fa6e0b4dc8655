package caddymodule

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/snippet/picture"
)

// pictures are the drawings of a handler's numbers by the names under which they
// are served. All that its configuration can show is drawn when it is provisioned:
// so a style that cannot be drawn is refused there, and what is kept has a bound.
// The name is made of the content, which can therefore be cached for good.
type pictures map[string][]byte

// add draws the text and gives the picture's name.
func (p pictures) add(renderer *picture.Renderer, text string) (name string, err error) {
	content, err := renderer.Render(text)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	name = base64.RawURLEncoding.EncodeToString(sum[:15]) + ".svg"
	p[name] = content
	return name, nil
}

// keptPictures are those of earlier configurations too, for the pages that are open
// in browsers while the configuration changes.
type keptPictures struct {
	mu     sync.Mutex
	byName pictures
}

// maxKept is how many pictures are kept; each takes some 4 KB.
const maxKept = 1024

func (k *keptPictures) add(p pictures) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byName == nil || len(k.byName)+len(p) > maxKept {
		k.byName = make(pictures, len(p))
	}
	maps.Copy(k.byName, p)
}

func (k *keptPictures) find(name string) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.byName[name]
}

// serve answers a request for a picture of this configuration, or of an earlier one.
func (p pictures) serve(w http.ResponseWriter, r *http.Request, name string, kept *keptPictures) {
	content := p[name]
	if content == nil {
		content = kept.find(name)
	}
	if content == nil {
		fail(w, http.StatusNotFound, "unknown_picture", "there is no such picture")
		return
	}
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		fail(w, http.StatusMethodNotAllowed, "method_not_allowed", "pictures are fetched by GET")
		return
	}
	h.Set("Content-Type", picture.ContentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+name+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

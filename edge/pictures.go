package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/snippet/picture"
)

// drawings are the pictures of a block's numbers by the names under which they are
// served. All that its configuration can show is drawn when it is loaded: so a style
// that cannot be drawn is refused there, and what is kept has a bound. The name is made
// of the content, which can therefore be cached for good.
type drawings map[string][]byte

// add draws the text and gives the picture's name.
func (d drawings) add(renderer *picture.Renderer, text string) (name string, err error) {
	content, err := renderer.Render(text)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	name = base64.RawURLEncoding.EncodeToString(sum[:15]) + ".svg"
	d[name] = content
	return name, nil
}

// Pictures are the drawings of earlier configurations too, for the pages that are open
// in browsers while the configuration changes. The zero value is ready. It is safe for
// concurrent use.
type Pictures struct {
	mu     sync.Mutex
	byName drawings
}

// maxKept is how many pictures are kept; each takes some 4 KB.
const maxKept = 1024

func (p *Pictures) add(d drawings) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byName == nil || len(p.byName)+len(d) > maxKept {
		p.byName = make(drawings, len(d))
	}
	maps.Copy(p.byName, d)
}

func (p *Pictures) find(name string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byName[name]
}

// servePicture answers with a picture of this configuration, or of an earlier one.
func (b *Block) servePicture(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content := b.drawings[name]
	if content == nil {
		content = b.edge.Pictures.find(name)
	}
	if content == nil {
		api.Fail(w, http.StatusNotFound, "unknown_picture", "there is no such picture")
		return
	}
	h := w.Header()
	h.Set("Content-Type", picture.ContentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+name+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

package effect

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/snippet/picture"
)

// drawings are the pictures of numbers, by the names in their addresses. They are drawn when the numbers are compiled.
// So a style that cannot be drawn is refused there, and the number of drawings is bounded. The name is a hash of the
// content, so browsers may cache a picture for good.
type drawings map[string][]byte

// add draws the text and returns the picture's name.
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

// Pictures are the drawings of this configuration and of earlier ones, whose pages may still be open in browsers. The
// zero value is ready. It is safe for concurrent use.
type Pictures struct {
	making sync.Once
	latest *lru.Cache[string, []byte]
}

// maxKept is how many pictures are kept, each of about 4 KB. The latest ones that were added or asked for stay. The
// blocks of the running configuration share theirs with this cache.
const maxKept = 1 << 14

func (p *Pictures) cache() *lru.Cache[string, []byte] {
	p.making.Do(func() { p.latest, _ = lru.New[string, []byte](maxKept) }) // New fails only for a size of 0 or less
	return p.latest
}

func (p *Pictures) add(d drawings) {
	for name, content := range d {
		p.cache().Add(name, content)
	}
}

// Kept returns how many pictures are kept.
func (p *Pictures) Kept() int { return p.cache().Len() }

// find returns the picture of the name, or nil.
func (p *Pictures) find(name string) []byte {
	content, _ := p.cache().Get(name)
	return content
}

// shared returns the picture of an earlier configuration with this name, so that the memory is shared, or else content.
func (p *Pictures) shared(name string, content []byte) []byte {
	if earlier, kept := p.cache().Peek(name); kept {
		return earlier
	}
	return content
}

// ServePicture serves a picture of this configuration or of an earlier one.
func (f *effect) ServePicture(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content := f.numbers.drawings[name]
	if content == nil {
		content = f.Of.Pictures.find(name)
	}
	if content == nil {
		gate.Fail(w, http.StatusNotFound, "unknown_picture", "there is no such picture")
		return
	}
	h := w.Header()
	h.Set("Content-Type", picture.ContentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+name+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

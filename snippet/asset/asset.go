// Package asset serves files that are part of the program: each in the content
// coding that suits the client, and under a name that changes with its content.
package asset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
)

// Asset is one file. It is an http.Handler.
type Asset struct {
	kind, lifetime string
	codings        func() (map[string]representation, error) // by content coding, "" for none
}

type representation struct {
	body []byte
	etag string
}

var kinds = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json"}

// New returns the file of that name, which ends with .js, .css, .svg, .png or .webmanifest. The lifetime is its Cache-Control. It is
// compressed when it is first asked for.
func New(name, lifetime string, content []byte) *Asset {
	return &Asset{kinds[path.Ext(name)], lifetime, sync.OnceValues(func() (map[string]representation, error) {
		sum := sha256.Sum256(content)
		version := base64.RawURLEncoding.EncodeToString(sum[:12])
		var zipped, dense bytes.Buffer
		zip, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
		if err != nil {
			return nil, fmt.Errorf("compressing %s: %w", name, err)
		}
		for _, w := range []io.WriteCloser{zip, brotli.NewWriterLevel(&dense, brotli.BestCompression)} {
			_, err := w.Write(content)
			if err := errors.Join(err, w.Close()); err != nil {
				return nil, fmt.Errorf("compressing %s: %w", name, err)
			}
		}
		return map[string]representation{
			"":     {content, `"` + version + `"`},
			"gzip": {zipped.Bytes(), `"` + version + `-gzip"`},
			"br":   {dense.Bytes(), `"` + version + `-br"`},
		}, nil
	})}
}

// ServeHTTP answers GET and HEAD, conditional ones too, with the smallest coding that the client accepts.
func (a *Asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this is fetched by GET", http.StatusMethodNotAllowed)
		return
	}
	codings, err := a.codings()
	if err != nil {
		http.Error(w, "this cannot be served", http.StatusInternalServerError)
		return
	}
	coding := acceptedCoding(r.Header.Values("Accept-Encoding"))
	chosen := codings[coding]
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", a.lifetime)
	h.Add("Vary", "Accept-Encoding")
	h.Set("ETag", chosen.etag)
	if coding != "" {
		h.Set("Content-Encoding", coding)
		// ServeContent leaves the length out where there is a coding, since it cannot know who applies it.
		if r.Header.Get("Range") == "" {
			h.Set("Content-Length", strconv.Itoa(len(chosen.body)))
		}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(chosen.body))
}

// acceptedCoding picks from the values of Accept-Encoding (RFC 9110, 12.5.3) br before gzip before none. What a
// client does not name it does not get, whatever it says of `*`: the plain file is right for everybody.
func acceptedCoding(values []string) string {
	var br, zip bool
	for item := range strings.SplitSeq(strings.Join(values, ","), ",") {
		coding, weight, _ := strings.Cut(item, ";")
		_, q, weighted := strings.Cut(weight, "=")
		if f, err := strconv.ParseFloat(strings.TrimSpace(q), 64); weighted && (err != nil || f <= 0) {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "br":
			br = true
		case "gzip", "x-gzip":
			zip = true
		}
	}
	switch {
	case br:
		return "br"
	case zip:
		return "gzip"
	}
	return ""
}

// Set is files by names that end with a hash of their content, so that they may be cached for ever.
type Set map[string]*Asset

// Add adds the file and returns the name under which the set serves it: "numbers-AAAAAAAAAAA.js" for "numbers.js".
func (s Set) Add(name string, content []byte) string {
	sum := sha256.Sum256(content)
	end := path.Ext(name)
	hashed := strings.TrimSuffix(name, end) + "-" + base64.RawURLEncoding.EncodeToString(sum[:8]) + end
	s[hashed] = New(name, "public, max-age=31536000, immutable", content)
	return hashed
}

// Has tells whether there is a file of the name that Add has returned.
func (s Set) Has(name string) bool { return s[name] != nil }

// ServeHTTP serves the file that the last part of the path names, to the pages of all origins: scripts of other hosts load parts of
// themselves as modules, which needs CORS. Other names are answered with 404.
func (s Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, found := s[path.Base(r.URL.Path)]
	if !found || strings.HasSuffix(r.URL.Path, "/") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	file.ServeHTTP(w, r)
}

package snippet

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed" // the built script
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
)

// bundle is the core script as built from browser/: a function expression of one argument, the configuration.
//
//go:generate go run ./browser/build
//go:embed dist/svc.js
var bundle []byte

// The two variants of the browser interface (section 9), as configurations name them.
const (
	VariantA = "A"
	VariantB = "B"
)

// ScriptSettings is what the core script has to know of a site before it runs.
type ScriptSettings struct {
	// Objects are the names of the two global objects of the browser interface. They are ASCII identifiers
	// of JavaScript, distinct, and neither reserved words nor names that every page has already.
	Objects [2]string

	// Variant of the browser interface, VariantA or VariantB.
	Variant string

	// ConsentCookie is the name of the cookie by which a site says that the visitor has agreed. When it is empty, nobody is asked.
	ConsentCookie string

	// ConsentValue is the pattern of the values of that cookie that say yes; see ConsentExpression. When it is empty, any value does.
	ConsentValue string
}

// Script is the core script of one configuration, ready to be served in each content coding. It is an http.Handler.
type Script struct {
	lifetime string                    // its Cache-Control
	variants map[string]representation // by content coding, "" for none
}

type representation struct {
	body []byte
	etag string
}

// NewScript makes the script for the settings. The error says which setting is wrong and what was expected.
func NewScript(settings ScriptSettings) (*Script, error) {
	configuration, err := settings.configuration()
	if err != nil {
		return nil, err
	}
	argument, err := json.Marshal(configuration)
	if err != nil {
		return nil, fmt.Errorf("encoding the configuration of the script: %w", err)
	}
	plain := bytes.Join([][]byte{bundle, []byte("("), argument, []byte(");\n")}, nil)
	return packed(plain, "public, max-age=300, stale-while-revalidate=86400")
}

// packed makes a script of its text.
func packed(plain []byte, lifetime string) (*Script, error) {
	sum := sha256.Sum256(plain)
	version := base64.RawURLEncoding.EncodeToString(sum[:12])
	zipped, err := gzipped(plain)
	if err != nil {
		return nil, fmt.Errorf("compressing the script: %w", err)
	}
	dense, err := brotlied(plain)
	if err != nil {
		return nil, fmt.Errorf("compressing the script: %w", err)
	}
	return &Script{lifetime: lifetime, variants: map[string]representation{
		"":     {plain, `"` + version + `"`},
		"gzip": {zipped, `"` + version + `-gzip"`},
		"br":   {dense, `"` + version + `-br"`},
	}}, nil
}

// ServeHTTP answers GET and HEAD, conditional ones too, with the smallest coding that the client accepts.
func (s *Script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "the script is fetched by GET", http.StatusMethodNotAllowed)
		return
	}

	coding := acceptedCoding(r.Header.Values("Accept-Encoding"))
	chosen := s.variants[coding]
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", s.lifetime)
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
// client does not name it does not get, whatever it says of `*`: the plain script is right for everybody.
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

func gzipped(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(plain)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

func brotlied(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, brotli.BestCompression)
	_, err := w.Write(plain)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

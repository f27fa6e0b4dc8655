package snippet

import (
	"crypto/sha256"
	_ "embed" // the built scripts
	"encoding/base64"
	"net/http"
	"path"
	"strings"
	"sync"
)

// numbersPart is the part of the script that replaces numbers, which pages load that have some.
//
//go:embed dist/numbers.js
var numbersPart []byte

// numbersName changes whenever the part does: its address may be kept for ever.
var numbersName = assetName("numbers", numbersPart)

func assetName(name string, content []byte) string {
	sum := sha256.Sum256(content)
	return name + "-" + base64.RawURLEncoding.EncodeToString(sum[:8]) + ".js"
}

// assets are the lazily loaded parts of the script by their names.
var assets = sync.OnceValues(func() (map[string]*Script, error) {
	part, err := packed(numbersPart, "public, max-age=31536000, immutable")
	return map[string]*Script{numbersName: part}, err
})

// Assets serves the lazily loaded parts of the script, each under a name that ends with a hash of its content, whatever path stands
// before the name. They may be cached for ever. Other names are answered with 404.
func Assets() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts, err := assets()
		if err != nil {
			http.Error(w, "the script cannot be served", http.StatusInternalServerError)
			return
		}
		part, found := parts[path.Base(r.URL.Path)]
		if !found || strings.HasSuffix(r.URL.Path, "/") {
			http.NotFound(w, r)
			return
		}
		part.ServeHTTP(w, r)
	})
}

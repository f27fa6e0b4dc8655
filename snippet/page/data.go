package page

import (
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/page/header"
)

// isData says whether a response is the data that a framework fetches when the
// visitor goes on to another page: JSON of Next.js, Nuxt and SvelteKit, rows of
// React's server components and of React Router.
func isData(r *http.Request, contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	switch strings.ToLower(strings.TrimSpace(media)) {
	case "text/x-component", "text/sveltekit-data", "text/x-script": // the last is React Router's
		return true
	case "text/plain": // what a static export has of them
		return header.Value(r.Header, "Rsc") == "1"
	case "application/json":
		return isDataPath(r.URL.Path)
	}
	return false
}

func isDataPath(path string) bool {
	return strings.Contains(path, "/_next/data/") || strings.HasSuffix(path, "/_payload.json") ||
		strings.HasSuffix(path, "__data.json") || strings.HasSuffix(path, "/page-data.json")
}

// hydrates says whether a page's headers tell of a framework that takes it over:
// SvelteKit names its scripts there only, if it renders pages as they are asked for.
func hydrates(h http.Header) bool {
	return header.Value(h, "X-Sveltekit-Page") == "true" || strings.Contains(header.Value(h, "Link"), "/_app/immutable/")
}

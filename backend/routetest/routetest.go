// Package routetest asks every route of a server with every method, and at addresses beside it.
package routetest

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// methods are those of RFC 9110 and 5789 but CONNECT, which no client of HTTP sends to a path, and one that no server knows.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace, "BREW",
}

// few are asked at addresses beside those of routes: what is asked there by others goes the way of the last.
var few = []string{http.MethodGet, http.MethodPost, "BREW"}

// beside are the ends that are added to each address.
var beside = []string{"/", "/x", "//", "/%2e%2e", "/%2e%2e/x", "%00"}

var wildcard = regexp.MustCompile(`\{([a-z$]+)(?:\.\.\.)?\}`)

// Walk asks the server at base for each of the routes, which are patterns of [http.ServeMux], with every method, and at
// addresses beside it, those with empty names included. values stand for the wildcards of
// patterns; one that has none is "1". A connection that is dropped, and an answer of status 500, fail the test.
func Walk(t *testing.T, client *http.Client, base string, patterns []string, values map[string]string) {
	t.Helper()
	require.NotEmpty(t, patterns)
	asked := make(map[string]bool)
	for _, pattern := range patterns {
		_, path, found := strings.Cut(pattern, " ")
		if !found {
			path = pattern
		}
		named := wildcard.ReplaceAllStringFunc(path, func(name string) string {
			switch value := values[wildcard.FindStringSubmatch(name)[1]]; {
			case name == "{$}":
				return ""
			case value == "":
				return "1"
			default:
				return value
			}
		})
		all := func(address string, methods []string) {
			for _, method := range methods {
				if !asked[method+address] {
					asked[method+address] = true
					ask(t, client, method, base, address)
				}
			}
		}
		all(named, methods)
		all(wildcard.ReplaceAllString(path, ""), few)
		for _, end := range beside {
			all(named+end, few)
		}
	}
}

func ask(t *testing.T, client *http.Client, method, base, address string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, base+address, nil)
	require.NoError(t, err)
	answer, err := client.Do(r)
	if !assert.NoError(t, err, "%s %s: the connection was dropped", method, address) {
		return
	}
	defer answer.Body.Close()
	assert.NotEqual(t, http.StatusInternalServerError, answer.StatusCode, "%s %s", method, address)
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		return // which does not end
	}
	_, err = io.Copy(io.Discard, answer.Body)
	assert.NoError(t, err, "%s %s: the answer broke off", method, address)
}

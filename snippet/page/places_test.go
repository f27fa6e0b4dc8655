package page_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// What places become is written down once for the server and the script, which the tests in e2e hold to the same.
func TestPlaces(t *testing.T) {
	content, err := os.ReadFile("../testdata/places.json")
	require.NoError(t, err)
	var vectors struct {
		Number, Replacement, Selector string
		Targets                       []string
		Cases                         []struct{ Name, Text, Want string }
	}
	require.NoError(t, json.Unmarshal(content, &vectors))
	printed, err := snippet.NewPrinted([]snippet.Number{{Digits: vectors.Number, Targets: vectors.Targets, Selectors: []string{vectors.Selector},
		Tracking: []snippet.Tracking{{Digits: vectors.Replacement}}}}, false)
	require.NoError(t, err)
	shown := printed.Show([]string{vectors.Replacement}, snippet.ForEveryone)
	c := code(t)
	for _, v := range vectors.Cases {
		t.Run(v.Name, func(t *testing.T) {
			w := httptest.NewRecorder()
			_, err := page.Serve(c, w, get("/"), page.Visit{Shown: shown}, func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, err := w.Write([]byte("<!doctype html><html><head><title>a</title></head><body><main>" + v.Text + "</main></body></html>"))
				return err
			})
			require.NoError(t, err)
			_, body, found := strings.Cut(w.Body.String(), "<main>")
			require.True(t, found)
			body, _, _ = strings.Cut(body, "</main>")
			require.Equal(t, v.Want, body)
		})
	}
}

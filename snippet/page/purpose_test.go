package page

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPurposeOfARequest(t *testing.T) {
	const chrome = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
	for name, c := range map[string]struct {
		path     string
		headers  []string
		expected Purpose
	}{
		"a browser":                     {"/", []string{"Sec-Fetch-Dest", "document", "Accept", chrome}, ForDocument},
		"a browser over plain HTTP":     {"/", []string{"Accept", chrome}, ForDocument},
		"an app's WebView":              {"/", []string{"Accept", chrome, "X-Requested-With", "com.example.shop"}, ForDocument},
		"a WebView that says so":        {"/", []string{"Sec-Fetch-Dest", "document", "Accept", chrome, "X-Requested-With", "XMLHttpRequest"}, ForDocument},
		"a frame":                       {"/", []string{"Sec-Fetch-Dest", "iframe", "Accept", chrome}, ForFrame},
		"an object":                     {"/", []string{"Sec-Fetch-Dest", "object"}, ForFrame},
		"a script":                      {"/", []string{"Accept", "*/*", "X-Requested-With", "XMLHttpRequest"}, ForPart},
		"a script for HTML":             {"/", []string{"Sec-Fetch-Dest", "empty", "Accept", "text/html, */*"}, ForPart},
		"a script for anything":         {"/", []string{"Sec-Fetch-Dest", "empty", "Accept", "*/*"}, ForElement},
		"htmx":                          {"/", []string{"Accept", "*/*", "Hx-Request", "true"}, ForPart},
		"Turbo":                         {"/", []string{"Sec-Fetch-Dest", "empty", "Accept", chrome, "Turbo-Frame", "cart"}, ForPart},
		"a prefetch of Next.js":         {"/lamps", []string{"Next-Router-State-Tree", "%5B%22%22%5D"}, ForPart},
		"data of Next.js":               {"/_next/data/build/lamps.json", []string{"Accept", "*/*"}, ForPart},
		"data of SvelteKit":             {"/lamps/__data.json", nil, ForPart},
		"data of Nuxt":                  {"/lamps/_payload.json", []string{"Sec-Fetch-Dest", "empty"}, ForPart},
		"a picture":                     {"/a.png", []string{"Sec-Fetch-Dest", "image", "Accept", "image/avif,*/*"}, ForElement},
		"a picture over plain HTTP":     {"/a.png", []string{"Accept", "image/avif,image/webp"}, ForElement},
		"JSON":                          {"/a", []string{"Accept", "application/json"}, ForElement},
		"curl":                          {"/", []string{"Accept", "*/*"}, Unsaid},
		"who says nothing":              {"/", nil, Unsaid},
		"who accepts an empty list":     {"/", []string{"Accept", ""}, Unsaid},
		"a browser with a list in two":  {"/", []string{"Accept", "image/png", "Accept", "TEXT/HTML"}, ForDocument},
		"what a browser may call later": {"/", []string{"Sec-Fetch-Dest", "webidentity", "Accept", "*/*"}, ForElement},
	} {
		t.Run(name, func(t *testing.T) {
			h := make(http.Header)
			for i := 0; i < len(c.headers); i += 2 {
				h.Add(c.headers[i], c.headers[i+1])
			}
			require.Equal(t, c.expected, PurposeOf(h, c.path))
			require.Equal(t, c.expected > ForDocument, c.expected.IsFetch())
		})
	}
}

package validator

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/page/header"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// FuzzValidators holds that no validator of ours reaches the origin, that an origin's
// comes back as it was, and that what is no document's is left when it is not ours.
func FuzzValidators(f *testing.F) {
	m := Mark("0123456789abcdef")
	f.Add(`"a-`+string(m)+`", W/"b"`, "Sun, 17 May 2026 10:11:12 GMT", `W/"a,b"`, int64(1))
	f.Add(`W/"`+string(m)+`.6a0990b0"`, "", `"a"`, int64(1779012672))
	f.Add(`"-`+string(m)+`", "`+string(m)+`.-1", ",`, "x", `"`, int64(-1))
	f.Add(strings.Repeat("a,", 16_000), "", "", int64(1))
	f.Add(`*`, "", `W/""`, int64(1)<<39)
	f.Fuzz(func(t *testing.T, asked, since, tag string, seconds int64) {
		for _, document := range []bool{true, false} {
			var h http.Header
			var found Conditions
			stepstest.Hold(t, len(asked)+len(since), func() {
				h = http.Header{"If-None-Match": {asked}, "If-Modified-Since": {since}}
				found = m.Translate(h, document)
			})
			for _, left := range header.Split(h["If-None-Match"]) {
				_, suffixed := m.unsuffix(left)
				_, dated := m.dateOf(left)
				// A tag with two of our suffixes is the origin's with one.
				require.True(t, !suffixed && !dated || slices.Contains(found.ours, left), left)
			}
			if !document && len(found.ours) == 0 && found.dated == "" {
				require.Equal(t, header.Split([]string{asked}), header.Split(h["If-None-Match"]))
			}
			for _, value := range h["If-None-Match"] {
				require.LessOrEqual(t, len(value), 2*len(asked))
			}
			answered := http.Header{"Etag": {tag}}
			m.AnswerNotModified(found, answered)
		}

		h := http.Header{"Etag": {tag}}
		m.SuffixTag(http.StatusOK, h)
		if suffixed := h.Get("Etag"); suffixed != tag {
			original, ours := m.unsuffix(suffixed)
			require.True(t, ours, suffixed)
			require.Equal(t, tag, original)
		}
		if seconds > 0 && seconds < 1<<37 { // up to the year 6325, which HTTP can write
			date := time.Unix(seconds, 0).UTC().Format(http.TimeFormat)
			h = http.Header{"Last-Modified": {date}}
			m.SuffixTag(http.StatusOK, h)
			again, ours := m.dateOf(h.Get("Etag"))
			require.True(t, ours)
			require.Equal(t, date, again)
		}
	})
}

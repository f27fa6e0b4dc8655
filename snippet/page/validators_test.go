package page_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

var testTime = time.Date(2026, 5, 17, 10, 11, 12, 0, time.UTC)

// content is an origin that answers conditional requests, as file servers do.
func content(tag string, date time.Time) func(http.ResponseWriter, *http.Request) error {
	return handler(func(w http.ResponseWriter, r *http.Request) {
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		w.Header().Set("Content-Type", "text/html")
		http.ServeContent(w, r, "a.html", date, strings.NewReader(plainPage))
	})
}

func TestPagesAreRevalidated(t *testing.T) {
	hash := code(t).Mark(&snippet.Shown{})
	for name, c := range map[string]struct {
		tag, want string
		date      time.Time
	}{
		"strong tag": {tag: `"a"`, want: `"a-` + hash + `"`, date: testTime},
		"weak tag":   {tag: `W/"a,b"`, want: `W/"a,b-` + hash + `"`},
		"date":       {date: testTime, want: `W/"` + hash + "." + strconv.FormatInt(testTime.Unix(), 16) + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, content(c.tag, c.date))
			response, body := s.get(t, "GET", "Accept", "text/html")
			require.Equal(t, woven(plainPage, inline), body)
			require.Equal(t, c.want, response.Header.Get("ETag"))

			for _, request := range [][]string{
				{"If-None-Match", c.want, "Accept", "text/html"},
				{"If-None-Match", `"x", ` + c.want, "Sec-Fetch-Dest", "document"},
				{"If-None-Match", c.want, "If-Modified-Since", response.Header.Get("Last-Modified")},
			} {
				again, _ := s.get(t, "GET", request...)
				require.Equal(t, http.StatusNotModified, again.StatusCode, request)
				require.Equal(t, c.want, again.Header.Get("ETag"))
				require.Equal(t, "Sec-Fetch-Dest", again.Header.Get("Vary"))
			}
		})
	}
}

func TestPagesWithoutTheCodeAreNotTakenForCurrent(t *testing.T) {
	s := serve(t, content(`"a"`, testTime))
	date := testTime.Format(http.TimeFormat)
	for _, request := range [][]string{
		{"If-None-Match", `"a"`, "Accept", "text/html"},
		{"If-None-Match", `"a-0123456789"`, "Sec-Fetch-Dest", "document"},
		{"If-Modified-Since", date, "Accept", "text/html"},
		{"If-None-Match", `"a"`, "If-Modified-Since", date, "Sec-Fetch-Dest", "document"},
	} {
		response, body := s.get(t, "GET", request...)
		require.Equal(t, http.StatusOK, response.StatusCode, request)
		require.Equal(t, woven(plainPage, inline), body)
	}
}

func TestConditionsOfOtherRequestsAreLeft(t *testing.T) {
	s := serve(t, content(`"a"`, testTime))
	for _, request := range [][]string{
		{"If-None-Match", `"a"`},
		{"If-None-Match", `"a"`, "Sec-Fetch-Dest", "empty"},
		{"If-Modified-Since", testTime.Format(http.TimeFormat)},
	} {
		response, _ := s.get(t, "GET", request...)
		require.Equal(t, http.StatusNotModified, response.StatusCode, request)
		require.Equal(t, `"a"`, response.Header.Get("ETag"))
	}
	suffixed := `"a-` + code(t).Mark(&snippet.Shown{}) + `"`
	response, _ := s.get(t, "GET", "If-None-Match", suffixed, "Sec-Fetch-Dest", "empty")
	require.Equal(t, http.StatusOK, response.StatusCode, "a script has no page of ours")
}

func TestHostileConditions(t *testing.T) {
	s := serve(t, content(`"a"`, testTime))
	hash := code(t).Mark(&snippet.Shown{})
	for _, tags := range []string{
		"a", `"`, `""`, ",,,", `W/`, `"a`, `-` + hash + `"`, `W/"` + hash + `."`, `"` + hash + `.-1"`,
		`"` + hash + `.fffffffffffffffff"`, `"` + hash + `.zz"`, strings.Repeat(`"a",`, 1000),
	} {
		response, body := s.get(t, "GET", "If-None-Match", tags, "Accept", "text/html")
		require.Equal(t, http.StatusOK, response.StatusCode, tags)
		require.Equal(t, woven(plainPage, inline), body)
	}
}

func TestTagsOfOtherThingsAreLeft(t *testing.T) {
	s := serve(t, handler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"a"`)
		w.Header().Set("Content-Type", "text/css")
		_, _ = io.WriteString(w, "b")
	}))
	response, _ := s.get(t, "GET")
	require.Equal(t, `"a"`, response.Header.Get("ETag"))
	require.Equal(t, page.NotHTML, (<-s.result).Outcome)
}

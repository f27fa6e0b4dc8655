package caddymodule

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// trailing is an origin that sends a page bit by bit, pauses about as long as a page may wait for
// its selectors, and ends with trailers or breaks off.
func trailing(t *testing.T) string {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		name := http.TrailerPrefix + "X-Sum"
		if r.FormValue("announced") != "" {
			name = "X-Sum"
			h.Set("Trailer", name)
		}
		var pause time.Duration
		fmt.Sscan(r.FormValue("pause"), &pause)
		for _, piece := range []string{page[:60], page[60:], "<p>8 (495) 123-45-67", "<footer><a class=tel>123-45-67</a></footer>"} {
			io.WriteString(w, piece)
			http.NewResponseController(w).Flush()
		}
		time.Sleep(pause)
		if r.FormValue("broken") != "" {
			panic(http.ErrAbortHandler)
		}
		h.Set(name, "1")
		h.Set(http.TrailerPrefix+"X-Other", "2")
	}))
	origin.Config.ErrorLog = nil
	t.Cleanup(origin.Close)
	return strings.TrimPrefix(origin.URL, "http://")
}

// An origin with trailers, at the moment when its page has waited long enough, under everything that may
// stand around. Nothing of ours writes beside the request; the race detector holds it.
func TestTrailersOfPagesThatWait(t *testing.T) {
	for name, around := range map[string]struct{ before, proxy string }{
		"alone":            {},
		"encode":           {before: "encode"},
		"header":           {before: "header +X-Seen yes\nheader -X-Sum"},
		"encode and flush": {before: "encode", proxy: "flush_interval -1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := run(t, option+`
				http://localhost:$PORT {
					`+around.before+`
					frontdesk shop {
						prerender static
						number 74951234567 {
							selector "footer .tel:last-child"
							static 74957654321 utm_source=news
						}
					}
					reverse_proxy `+trailing(t)+` {
						`+around.proxy+`
					}
				}`).Ready()
			client := &http.Client{Timeout: 20 * time.Second}
			defer client.CloseIdleConnections()
			var group sync.WaitGroup
			turns := make(chan struct{}, 100)
			for i := range 500 {
				turns <- struct{}{}
				group.Go(func() {
					defer func() { <-turns }()
					query := fmt.Sprintf("?utm_source=news&pause=%dus", 196_000+100*(i%60))
					announced, broken := i%2 == 0, i%8 >= 6
					if announced {
						query += "&announced=1"
					}
					if broken {
						query += "&broken=1"
					}
					response, err := client.Get(s.Text("http://localhost:$PORT/") + query)
					if err != nil {
						if !broken {
							t.Error(err)
						}
						return
					}
					defer response.Body.Close()
					body, err := io.ReadAll(response.Body)
					if broken {
						if err == nil {
							t.Error("a page that was broken off looks whole")
						}
						return
					}
					if err != nil || !strings.Contains(string(body), "8 (495) 765-43-21") || !strings.Contains(string(body), insertion) {
						t.Errorf("%v: %s", err, body)
					}
					if announced && response.Trailer.Get("X-Sum") != "1" {
						t.Error("the trailer is missing")
					}
				})
			}
			group.Wait()
			require.NotContains(t, s.Log(), "panic")
		})
	}
}

package page_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// drain takes a response and keeps nothing.
type drain struct{ header http.Header }

func (d *drain) Header() http.Header         { return d.header }
func (d *drain) WriteHeader(int)             {}
func (d *drain) Write(p []byte) (int, error) { return len(p), nil }

// shopPage has a head of about two kilobytes before its first script.
func shopPage(size int) []byte {
	const line = "<link rel=\"preload\" href=\"/static/a.css?v=1\" as=\"style\" crossorigin>\n"
	head := "<!doctype html><html><head><meta charset=utf-8><title>a</title>\n" + strings.Repeat(line, 28) +
		"<script src=\"/static/a.js\" defer></script></head>\n<body>\n"
	return []byte((head + strings.Repeat("<p>text</p>\n", size/12))[:size])
}

// BenchmarkServe is what a page costs besides its origin and its server.
func BenchmarkServe(b *testing.B) {
	c := code(b)
	for _, s := range []struct {
		name   string
		size   int
		coding string
	}{{"10KB", 10 << 10, ""}, {"100KB", 100 << 10, ""}, {"1MB", 1 << 20, ""}, {"100KB/gzip", 100 << 10, "gzip"}} {
		body := shopPage(s.size)
		if s.coding != "" {
			body = []byte(compress(b, s.coding, string(body)))
		}
		origin := func(w http.ResponseWriter, _ *http.Request) error {
			h := w.Header()
			h["Content-Type"] = []string{"text/html; charset=utf-8"}
			h["Content-Length"] = []string{strconv.Itoa(len(body))}
			h["Etag"] = []string{`"a"`}
			if s.coding != "" {
				h["Content-Encoding"] = []string{s.coding}
			}
			w.WriteHeader(http.StatusOK)
			for rest := body; len(rest) > 0; {
				n := min(len(rest), 32<<10) // as a proxy copies
				if _, err := w.Write(rest[:n]); err != nil {
					return err
				}
				rest = rest[n:]
			}
			return nil
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", "gzip")
		run := func(b *testing.B, serve func(w http.ResponseWriter) error) {
			w := &drain{make(http.Header)}
			b.SetBytes(int64(s.size))
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				if err := serve(w); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run(s.name+"/plain", func(b *testing.B) {
			run(b, func(w http.ResponseWriter) error { return origin(w, r) })
		})
		b.Run(s.name+"/numbers", func(b *testing.B) {
			numbered := shopCode(b)
			run(b, func(w http.ResponseWriter) error {
				_, err := numbered.Serve(w, r, page.Visit{}, origin)
				return err
			})
		})
		b.Run(s.name+"/superseding", func(b *testing.B) {
			c := numberedCode(b).supersede(b).Code
			run(b, func(w http.ResponseWriter) error {
				_, err := page.Serve(c, w, r, page.Visit{}, origin)
				return err
			})
		})
		b.Run(s.name+"/woven", func(b *testing.B) {
			run(b, func(w http.ResponseWriter) error {
				result, err := page.Serve(c, w, r, page.Visit{}, origin)
				if result.Outcome != page.Woven {
					b.Fatal(result.Outcome)
				}
				return err
			})
		})
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := snippet.New(snippet.Settings{SiteKey: "shop.example", Prefix: "/frontdesk/"}); err != nil {
			b.Fatal(err)
		}
	}
}

package load

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
)

// thanks is what the site answers to a form.
const thanks = "Thanks, we call you back"

// filler is what the pages consist of.
var filler = strings.Repeat("<p>A lamp for reading, with a shade of linen.</p>\n", 80)

// page is a page of the site.
func page(printed string) string {
	return `<!doctype html><html><head><meta charset="utf-8"><title>Lamps</title></head><body><h1>Lamps</h1>` + "\n" + filler +
		`<p class="phone">` + printed + "</p>\n</body></html>\n<!-- the end -->"
}

// ServeSite serves the site behind the nodes until the function is called.
func ServeSite(address, printed string) (end func() error, err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serving the site: %w", err)
	}
	content := page(printed)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, thanks)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, content)
	})}
	go server.Serve(listener)
	return server.Close, nil
}

var shownNumber = regexp.MustCompile(`<p class="phone">([^<]*)</p>`)

// isWhole tells whether the page is that of the site, but for what Frontdesk adds, and which number it shows.
func isWhole(content string) (number string, whole bool) {
	shown := shownNumber.FindStringSubmatch(content)
	return digits(shown), shown != nil && strings.Contains(content, filler) && strings.Contains(content, "<!-- the end -->")
}

// digits are those of a number as it is shown.
func digits(shown []string) string {
	if shown == nil {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, shown[1])
}

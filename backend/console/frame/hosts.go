package frame

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

const (
	// manySites is how many sites a list offers. Among more, the host is typed.
	manySites = 50
	// suggestedHosts is how many hosts are suggested to what was typed.
	suggestedHosts = 12
)

// maxHost is how long a host is at most, in bytes (RFC 1035, section 2.3.4). What is longer was not typed for one.
const maxHost = 255

// hostField is what a request names a site by that somebody has typed.
const hostField = "host"

// ManySites tells whether a site is found by typing.
func (p Page) ManySites() bool { return len(p.Sites) > manySites }

// typed is the site whose host was typed. asked is false if none was; a host of no site is found nowhere.
func typed(query url.Values, sites []site.Site) (id int64, asked, found bool) {
	host := strings.ToLower(strings.TrimSpace(query.Get(hostField)))
	if host == "" || len(host) > maxHost {
		return 0, query.Has(hostField), true
	}
	for _, s := range sites {
		if s.Key == host || strings.ToLower(words.Host(s.Key)) == host {
			return s.ID, true, true
		}
	}
	return 0, true, false
}

// SuggestHosts answers with hosts that have what was typed, as the options of a field.
func SuggestHosts(sites *site.Sites) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		all, err := sites.List(r.Context())
		if err != nil {
			return err
		}
		host := strings.ToLower(strings.TrimSpace(r.URL.Query().Get(hostField)))
		o, _ := Current(r)
		var options strings.Builder
		left := suggestedHosts
		for _, s := range SeenOf(all, o.Sites) {
			if name := words.Host(s.Key); left > 0 && (strings.Contains(s.Key, host) || strings.Contains(strings.ToLower(name), host)) {
				options.WriteString(`<option value="` + template.HTMLEscapeString(name) + `">`)
				left--
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, err = w.Write([]byte(options.String()))
		return err
	}
}

// Package source says where a visit came from: a campaign, an advertisement, a search engine, another site, or nowhere.
// It reads that from the address of the first page and its referrer. It stores nothing.
package source

import (
	"cmp"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// The kinds of sources.
const (
	Direct   = "direct"   // no referrer: the address was typed or bookmarked, or the browser hides it
	Campaign = "campaign" // utm parameters, of links that nobody has paid for
	Ad       = "ad"       // paid media, see [Source.Paid]
	Search   = "search"   // the referrer groups, see referrers.json
	Social   = "social"
	Mail     = "mail"
	Map      = "map"
	Referral = "referral" // any other site
)

// Kinds are all kinds of sources.
var Kinds = []string{Direct, Campaign, Ad, Search, Social, Mail, Map, Referral}

// Source says where a visit came from. Texts are as in the address, cut to 200 bytes. Source and Medium are in lower
// case, so that Google and google are the same.
type Source struct {
	// Kind is one of the constants above.
	Kind string `json:"kind"`
	// Source, Medium, Campaign, Term and Content are the utm parameters. If there are none, Source is the ad system,
	// the search engine, the network or the referring host.
	Source   string `json:"source,omitempty"`
	Medium   string `json:"medium,omitempty"`
	Campaign string `json:"campaign,omitempty"`
	Term     string `json:"term,omitempty"`
	Content  string `json:"content,omitempty"`
	// ClickIDName is the parameter that has the ad system's ClickID.
	ClickIDName string `json:"click_id_name,omitempty"`
	ClickID     string `json:"click_id,omitempty"`
	// Referrer is the host of the referring page, lower-cased, without a port.
	Referrer string `json:"referrer,omitempty"`
	// Landing is the path of the visit's first page.
	Landing string `json:"landing,omitempty"`
}

// Columns are the columns of a source in a table, in the order of [Source.Texts].
const Columns = `source_kind, source_name, source_medium, source_campaign, source_term, source_content,
	source_click_id_name, source_click_id, source_referrer, source_landing`

// WrittenColumns are those of them in which somebody has written.
var WrittenColumns = []string{"source_name", "source_medium", "source_campaign", "source_term", "source_content", "source_click_id", "source_referrer", "source_landing"}

// Texts returns pointers to the fields of the source.
func (s *Source) Texts() [10]*string {
	return [...]*string{&s.Kind, &s.Source, &s.Medium, &s.Campaign, &s.Term, &s.Content, &s.ClickIDName, &s.ClickID, &s.Referrer, &s.Landing}
}

// Fields returns the texts as [db.List] needs them to read [Columns].
func (s *Source) Fields() []any {
	var fields []any
	for _, text := range s.Texts() {
		fields = append(fields, text)
	}
	return fields
}

// Values returns the texts as a statement needs them to write [Columns].
func (s Source) Values() []any {
	return []any{s.Kind, s.Source, s.Medium, s.Campaign, s.Term, s.Content, s.ClickIDName, s.ClickID, s.Referrer, s.Landing}
}

// MaxText bounds each text of a source, in bytes.
const MaxText = 200

// IsMark says whether a parameter is added to addresses by advertising and says nothing of the page: a utm parameter, a
// click id, or a parameter that comes with one.
func IsMark(parameter string) bool {
	return strings.HasPrefix(parameter, "utm_") || strings.HasPrefix(parameter, "gad_") || parameter == "_openstat" || IsClickID(parameter)
}

// Of returns the source of a visit from the address of its first page and its referrer. Neither has to be
// well-formed. A referrer at one of the site's own hosts is none.
func Of(page, referrer string, own Own) Source {
	address, err := url.Parse(page)
	if err != nil {
		address = &url.URL{}
	}
	return At(address, referrer, own)
}

// At does what Of does, for a parsed address. It is fast for a page without a query that is opened from
// within the site or without a referrer, as most are.
func At(address *url.URL, referrer string, own Own) Source {
	s := Source{Kind: Direct, Landing: cut(address.EscapedPath())}
	within := referrer == "" || isHost(referrer, address.Host)
	if address.RawQuery == "" && within {
		return s
	}
	steps.Walk(len(address.RawQuery) + len(referrer))
	s.readMarks(address.RawQuery)
	system := system(s.ClickIDName)
	group, name := Direct, ""
	if !within {
		if host := hostOf(referrer); host != "" && withoutWWW(host) != withoutWWW(lowerHost(address)) && !own.Has(host) {
			s.Referrer = cut(host)
			group, name = groupOf(host)
		}
	}
	switch {
	case s.Source+s.Medium+s.Campaign+s.Term+s.Content != "":
		s.Kind, s.Source = Campaign, cmp.Or(s.Source, system, cut(name))
	case s.Paid():
		s.Source = system
	case s.ClickID != "" && group == Direct:
		s.Kind, s.Source = unpaid(s.ClickIDName), system
	default:
		s.Kind, s.Source = group, cut(name)
	}
	if s.Paid() {
		s.Kind = Ad
	}
	return s
}

// utm are the utm parameters, in the order of Source's fields.
var utm = [...]string{"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"}

// utmFolded is how many of them are put in lower case, from the first.
const utmFolded = 2

// marks are the positions of the parameters that say something of a source: first those of utm, and then those of
// clickIDs.
var marks = func() map[string]int {
	places := make(map[string]int)
	for i, name := range utm {
		places[name] = i
	}
	for i, id := range clickIDs {
		places[id.parameter] = len(utm) + i
	}
	return places
}()

// readMarks reads the utm parameters and the click id from a query, in one pass and in the way of [url.ParseQuery]. If
// a parameter is given twice, the first counts.
func (s *Source) readMarks(query string) {
	into := [...]*string{&s.Source, &s.Medium, &s.Campaign, &s.Term, &s.Content}
	var seen uint64
	click := len(clickIDs)
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		place, known := marks[name]
		if err != nil || !known || seen&(1<<place) != 0 || strings.Contains(pair, ";") {
			continue
		}
		if value, err = url.QueryUnescape(value); err != nil {
			continue
		}
		seen |= 1 << place
		if value = cut(value); place < utmFolded {
			value = cut(strings.ToLower(value)) // google and Google are the same
		}
		if place < len(utm) {
			*into[place] = value
		} else if id := place - len(utm); value != "" && id < click {
			click, s.ClickIDName, s.ClickID = id, clickIDs[id].parameter, value
		}
	}
}

// CampaignKey returns what tells one campaign from another: a visitor who comes back by another campaign begins a new
// visit. It is empty if there is neither a utm parameter nor a click id. The click id of a search engine's results
// does not count.
func (s Source) CampaignKey() string {
	if s.Kind != Campaign && s.Kind != Ad && (s.ClickID == "" || unpaid(s.ClickIDName) == Search) {
		return ""
	}
	return strings.Join([]string{s.Source, s.Medium, s.Campaign, s.Term, s.Content, s.ClickIDName, s.ClickID}, "\x1f")
}

// isHost says whether an address is plainly one of the host, which may have a port. It may return false for other
// writings of such an address.
func isHost(address, host string) bool {
	_, rest, found := strings.Cut(address, "://")
	if !found || host == "" || len(rest) < len(host) || !strings.EqualFold(rest[:len(host)], host) {
		return false
	}
	rest = rest[len(host):]
	return rest == "" || rest[0] == '/'
}

// hostOf returns the host of an address in lower case, or "".
func hostOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return ""
	}
	return lowerHost(u)
}

func lowerHost(u *url.URL) string {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
}

func cut(text string) string { return clip.Text(text, MaxText) }

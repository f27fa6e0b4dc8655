package visit

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// The kinds of sources.
const (
	Direct   = "direct"   // no referrer: typed, bookmarked, or hidden by the browser
	Campaign = "campaign" // utm parameters
	Ad       = "ad"       // a click id of an ad system
	Search   = "search"   // the referrer groups, see referrers.json
	Social   = "social"
	Mail     = "mail"
	Map      = "map"
	Referral = "referral" // any other site
)

// Kinds are all kinds of sources.
var Kinds = []string{Direct, Campaign, Ad, Search, Social, Mail, Map, Referral}

// Source is where a session came from. Texts are as the address had them, cut
// to 200 bytes; Source and Medium are in small letters, so that Google and google are
// one.
type Source struct {
	// Kind is one of the constants above.
	Kind string `json:"kind"`
	// Source, Medium, Campaign, Term and Content are the utm parameters. Where
	// there are none, Source is the ad system, the search engine, the network
	// or the referring host.
	Source   string `json:"source,omitempty"`
	Medium   string `json:"medium,omitempty"`
	Campaign string `json:"campaign,omitempty"`
	Term     string `json:"term,omitempty"`
	Content  string `json:"content,omitempty"`
	// ClickIDName is the parameter that carried the ad system's ClickID.
	ClickIDName string `json:"click_id_name,omitempty"`
	ClickID     string `json:"click_id,omitempty"`
	// Referrer is the host of the referring page, lower-cased, without a port.
	Referrer string `json:"referrer,omitempty"`
	// Landing is the path of the session's first page.
	Landing string `json:"landing,omitempty"`
}

// SourceColumns are the columns in which a table keeps a source, in the order of
// [Source.Texts].
const SourceColumns = `source_kind, source_name, source_medium, source_campaign, source_term, source_content,
	source_click_id_name, source_click_id, source_referrer, source_landing`

// Texts are the fields of the source.
func (s *Source) Texts() [10]*string {
	return [...]*string{&s.Kind, &s.Source, &s.Medium, &s.Campaign, &s.Term, &s.Content, &s.ClickIDName, &s.ClickID, &s.Referrer, &s.Landing}
}

// Fields are the texts as [db.List] takes them, to read SourceColumns.
func (s *Source) Fields() []any {
	var fields []any
	for _, text := range s.Texts() {
		fields = append(fields, text)
	}
	return fields
}

// Values are the texts as a statement takes them, to write SourceColumns.
func (s Source) Values() []any {
	return []any{s.Kind, s.Source, s.Medium, s.Campaign, s.Term, s.Content, s.ClickIDName, s.ClickID, s.Referrer, s.Landing}
}

// MaxSourceText bounds each text of a source, in bytes.
const MaxSourceText = 200

// clickIDs are the parameters by which ad systems recognise their clicks. Some come
// with links nobody paid for too; then unpaid is what such a link is: a post of a
// network, a result of a search.
var clickIDs = []struct{ parameter, system, unpaid string }{
	{"gclid", "google", ""}, {"gbraid", "google", ""}, {"wbraid", "google", ""}, {"dclid", "google", ""}, {"gad_source", "google", ""},
	{"yclid", "yandex", ""}, {"ymclid", "yandex market", ""}, {"msclkid", "bing", ""}, {"ttclid", "tiktok", ""}, {"twclid", "x", ""}, {"li_fat_id", "linkedin", ""},
	{"rb_clickid", "vk", ""}, {"vkclid", "vk", ""}, {"ScCid", "snapchat", ""}, {"sccid", "snapchat", ""}, {"scid", "snapchat", ""},
	{"epik", "pinterest", ""}, {"rdt_cid", "reddit", ""}, {"qclid", "quora", ""}, {"obclid", "outbrain", ""}, {"tblci", "taboola", ""},
	{"irclickid", "impact", ""}, {"cjevent", "cj", ""}, {"awc", "awin", ""}, {"admitad_uid", "admitad", ""},
	{"fbclid", "facebook", Social}, {"ysclid", "yandex", Search}, // last: they say the least
}

// unpaid is what a link with the click id is if nobody paid for it; empty where
// somebody did.
func unpaid(clickIDName string) string {
	for _, id := range clickIDs {
		if id.parameter == clickIDName {
			return id.unpaid
		}
	}
	return ""
}

// Paid tells whether advertising brought the visitor: a click id of an ad, or a medium
// that is paid for. A newsletter is a campaign, and no advertising.
func (s *Source) Paid() bool {
	return s.ClickID != "" && unpaid(s.ClickIDName) == "" || paidMedium(s.Medium)
}

// paidMedia are the words in utm_medium that say so, besides those that begin with
// "paid".
var paidMedia = map[string]bool{
	"cpc": true, "ppc": true, "cpm": true, "cpv": true, "cpa": true, "cpl": true, "cpo": true, "cpi": true, "cpe": true, "cpt": true, "sem": true,
	"display": true, "banner": true, "banners": true, "interstitial": true, "programmatic": true, "rtb": true,
	"retargeting": true, "remarketing": true, "retarget": true, "target": true, "targeting": true,
	"ad": true, "ads": true, "adv": true, "advert": true, "advertising": true, "реклама": true, "баннер": true, "таргет": true, "контекст": true,
}

// paidMedium tells whether one of the medium's words is one of a paid medium:
// "social_cpc" is.
func paidMedium(medium string) bool {
	words := strings.FieldsFunc(strings.ToLower(medium), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool { return paidMedia[word] || strings.HasPrefix(word, "paid") })
}

// IsClickID tells whether a parameter of this name is known as an ad system's
// click id. Letters are the same in both cases.
func IsClickID(parameter string) bool {
	for _, id := range clickIDs {
		if strings.EqualFold(id.parameter, parameter) {
			return true
		}
	}
	return false
}

// IsMark tells whether a parameter of this name is put on addresses by advertising
// and says nothing of the page: a utm parameter, a click id, and what comes with one.
func IsMark(parameter string) bool {
	return strings.HasPrefix(parameter, "utm_") || strings.HasPrefix(parameter, "gad_") || parameter == "_openstat" || IsClickID(parameter)
}

// SourceOf reads the source from the address of a session's first page and its
// referrer. Neither has to be well-formed.
func SourceOf(page, referrer string) Source {
	address, err := url.Parse(page)
	if err != nil {
		address = &url.URL{}
	}
	return SourceAt(address, referrer)
}

// SourceAt is SourceOf an address that has been parsed. Most pages are asked for
// from within the site or from nowhere, and without a query: these cost little.
func SourceAt(address *url.URL, referrer string) Source {
	s := Source{Kind: Direct, Landing: clip(address.EscapedPath())}
	within := referrer == "" || isHost(referrer, address.Host)
	if address.RawQuery == "" && within {
		return s
	}
	system := s.readMarks(address.RawQuery)
	group, name := Direct, ""
	if !within {
		if host := hostOf(referrer); host != "" && withoutWWW(host) != withoutWWW(lowerHost(address)) {
			s.Referrer = clip(host)
			group, name = groupOf(host)
		}
	}
	switch {
	case s.Source+s.Medium+s.Campaign+s.Term+s.Content != "":
		s.Kind = Campaign
		if s.Source == "" {
			s.Source = cmp.Or(system, name)
		}
	case s.ClickID != "" && unpaid(s.ClickIDName) == "":
		s.Kind, s.Source = Ad, system
	case s.ClickID != "" && group == Direct:
		s.Kind, s.Source = unpaid(s.ClickIDName), system
	default:
		s.Kind, s.Source = group, clip(name)
	}
	return s
}

// utm are the utm parameters, in the order of Source's fields.
var utm = [...]string{"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"}

// utmFolded are the first of them, in which case tells nothing.
const utmFolded = 2

// marks are the places of all parameters that say something of a source: those of utm, then those of clickIDs.
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

// readMarks reads the utm parameters and the click id from a query, in one pass, as [url.ParseQuery] would read them:
// of a parameter given twice the first counts. It gives the ad system of the click id.
func (s *Source) readMarks(query string) (system string) {
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
		if value = clip(value); place < utmFolded {
			value = clip(strings.ToLower(value)) // google and Google are one
		}
		if place < len(utm) {
			*into[place] = value
		} else if id := place - len(utm); value != "" && id < click {
			click, s.ClickIDName, s.ClickID, system = id, clickIDs[id].parameter, value, clickIDs[id].system
		}
	}
	return system
}

// campaign tells one campaign from another: a visitor who comes back by a new
// one begins a new session. It is empty where there is neither a utm parameter
// nor a click id; that of a search engine's results is none.
func (s Source) campaign() string {
	if s.Kind != Campaign && (s.ClickID == "" || unpaid(s.ClickIDName) == Search) {
		return ""
	}
	return strings.Join([]string{s.Source, s.Medium, s.Campaign, s.Term, s.Content, s.ClickIDName, s.ClickID}, "\x1f")
}

// isHost tells whether an address is plainly one of the host, which may have a
// port. It may be even where this cannot tell.
func isHost(address, host string) bool {
	_, rest, found := strings.Cut(address, "://")
	if !found || host == "" || len(rest) < len(host) || !strings.EqualFold(rest[:len(host)], host) {
		return false
	}
	rest = rest[len(host):]
	return rest == "" || rest[0] == '/'
}

// hostOf is the host of an address, lower-cased; empty if it has none.
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

// referrers.json lists hosts by group and name. A name such as "google." stands
// for the host under any top-level domain.
//
//go:embed referrers.json
var referrersJSON []byte

// referrer is what a host, or its beginning, is known as.
type referrer struct{ group, name string }

var referrers = readReferrers()

func readReferrers() map[string]referrer {
	var groups map[string]map[string][]string
	if err := json.Unmarshal(referrersJSON, &groups); err != nil {
		panic("visit: referrers.json: " + err.Error()) // it is part of the program
	}
	known := make(map[string]referrer)
	for group, names := range groups {
		for name, hosts := range names {
			for _, host := range hosts {
				known[host] = referrer{group, name}
			}
		}
	}
	return known
}

func clip(text string) string { return Clip(text, MaxSourceText) }

func withoutWWW(host string) string { return strings.TrimPrefix(host, "www.") }

// groupOf finds the group of a host: by the name before its top-level domain,
// for names that end with a dot, or by the host and the domains above it.
func groupOf(host string) (group, name string) {
	bare := strings.TrimPrefix(withoutWWW(host), "m.")
	if r, known := referrers[beforeTopLevel(bare)]; known {
		return r.group, r.name
	}
	for rest, found := host, true; found; _, rest, found = strings.Cut(rest, ".") {
		if r, known := referrers[rest]; known {
			return r.group, r.name
		}
	}
	return Referral, bare
}

// beforeTopLevel is "google." of google.com, google.co.uk and google.com.br, and
// empty for a host with a subdomain: anybody can have google.something.io.
func beforeTopLevel(host string) string {
	suffix, official := publicsuffix.PublicSuffix(host)
	label, rest, found := strings.Cut(host, ".")
	if !found || !official || rest != suffix {
		return ""
	}
	return label + "."
}

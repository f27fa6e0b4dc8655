package words

import (
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/net/idna"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/number"

	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Exactly is a moment to the second. The browser writes it anew in its own
// time zone.
func (w *Tongue) Exactly(t time.Time) string {
	return t.UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// Ago is how long a moment is past, and for what is long past its day. The
// browser keeps it true by the same rule; see frame/browser/times.ts.
func (w *Tongue) Ago(t time.Time) string {
	switch past := w.Now().Sub(t); {
	case past < time.Minute:
		return w.Text("ago.now")
	case past < time.Hour:
		return w.Text("ago.minutes", "count", int(past/time.Minute))
	case past < 24*time.Hour:
		return w.Text("ago.hours", "count", int(past/time.Hour))
	case past < 7*24*time.Hour:
		return w.Text("ago.days", "count", int(past/(24*time.Hour)))
	default:
		return t.UTC().Format("2006-01-02")
	}
}

// Span is a length of time, such as "4 min".
func (w *Tongue) Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return w.Text("span.seconds", "count", int(max(d, 0)/time.Second))
	case d < time.Hour:
		return w.Text("span.minutes", "count", int(d/time.Minute))
	default:
		return w.Text("span.hours", "count", int(d/time.Hour), "minutes", int(d%time.Hour/time.Minute))
	}
}

// Bytes is a size as people read it.
func (w *Tongue) Bytes(size int64) string {
	switch {
	case size < 1000:
		return w.Text("size.bytes", "size", int(size))
	case size < 1000_000:
		return w.Text("size.kilobytes", "size", int((size+500)/1000))
	}
	return w.Text("size.megabytes", "size", w.Out.Sprint(number.Decimal(float64(size)/1e6, number.MaxFractionDigits(1))))
}

// Percent is a share from 0 to 1 as the language writes it.
func (w *Tongue) Percent(share float64) string {
	return w.Out.Sprint(number.Percent(share, number.MaxFractionDigits(1)))
}

// Phone is a number in the international writing of its country, or as it was
// given, when its digits are no number.
func Phone(digits, written string) string {
	if parsed, ok := parsePhone(digits); ok {
		return phonenumbers.Format(parsed, phonenumbers.INTERNATIONAL)
	}
	if written != "" {
		return written
	}
	return digits
}

// Unbroken is the number, written so that no line ends within it.
func Unbroken(number string) string {
	return strings.NewReplacer(" ", "\u00a0", "-", "\u2011").Replace(number)
}

// Phone is the number with its extension.
func (w *Tongue) Phone(digits, extension, written string) string {
	if _, known := parsePhone(digits); known && extension != "" {
		return w.Text("phone.extension", "phone", Phone(digits, written), "extension", extension)
	}
	return Phone(digits, written)
}

// Taken tells whether a number is shown by other digits than it was written with.
func Taken(digits, extension, written string) bool {
	return digits != "" && contact.Digits(written) != digits+extension
}

// Dial is what dials the number, or nothing when it is none.
func Dial(digits string) string {
	if parsed, ok := parsePhone(digits); ok {
		return phonenumbers.Format(parsed, phonenumbers.E164)
	}
	return ""
}

func parsePhone(digits string) (*phonenumbers.PhoneNumber, bool) {
	if digits == "" || len(digits) > 15 || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	parsed, err := phonenumbers.Parse("+"+digits, "")
	return parsed, err == nil && phonenumbers.IsValidNumber(parsed)
}

// longestMailbox is how many bytes an address of mail has at most (RFC 5321).
const longestMailbox = 254

// Mailbox is the address when it is nothing but one, so that a link to it
// cannot carry a subject, a body or further receivers.
func Mailbox(address string) string {
	if len(address) > longestMailbox {
		return ""
	}
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Name != "" || parsed.Address != address || strings.ContainsAny(address, "?&%,;\"' ") {
		return ""
	}
	return address
}

// page is an address of a visited page or its referrer.
type Address struct {
	Link  string // where a click leads; empty unless it is http or https, and of no more than maxLink bytes
	Short string // host and path, without the noise
	Path  string // path and query
	Host  string
}

func AddressOf(address string) Address {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Address{Short: address, Path: address}
	}
	p := Address{Host: strings.TrimPrefix(u.Host, "www."), Path: readable(u)}
	if link := u.String(); Links(link) {
		p.Link = link
	}
	p.Short = p.Host + strings.TrimSuffix(p.Path, "/")
	return p
}

// maxLink is for an address to which a page links, in bytes of HTML. What is longer is shown as a text.
const maxLink = 2500

// Links tells whether pages link to the address: in a page each byte of it takes up to six.
func Links(address string) bool {
	size := 0
	for i := range len(address) {
		switch b := address[i]; {
		case b >= utf8.RuneSelf || b <= ' ' || b == '"' || b == '\'' || b == '<' || b == '>':
			size += len("&#34;") // or "%C2"
		default:
			size += weightOf(rune(b))
		}
	}
	return size <= maxLink
}

// readable is the path and query as people read them.
func readable(u *url.URL) string {
	text := u.Path
	if text == "" {
		text = "/"
	}
	if query := withoutMarks(u.RawQuery); query != "" {
		if plain, err := url.QueryUnescape(query); err == nil {
			query = plain
		}
		text += "?" + query
	}
	if u.Fragment != "" {
		text += "#" + u.Fragment
	}
	return text
}

// withoutMarks leaves out the parameters that advertising puts on addresses. Where
// somebody came from is shown by itself.
func withoutMarks(query string) string {
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return source.IsMark(name)
	})
	return strings.Join(kept, "&")
}

// browsers and systems are told by what only they write into their names. The
// first that fits is the one.
var browsers = []struct{ sign, name string }{
	{"YaBrowser/", "Yandex Browser"}, {"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Vivaldi/", "Vivaldi"},
	{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
}

var systems = []struct{ sign, name string }{
	{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"},
}

// BrowserOf names the browser and the system of a User-Agent header, or gives
// the header itself.
func BrowserOf(userAgent string) string {
	browser, system := "", ""
	for _, b := range browsers {
		if strings.Contains(userAgent, b.sign) {
			browser = b.name
			break
		}
	}
	for _, s := range systems {
		if strings.Contains(userAgent, s.sign) {
			system = s.name
			break
		}
	}
	if browser == "" {
		return userAgent
	}
	return strings.Join(Parts(browser, system), separator)
}

// LanguageOf names the first language of an Accept-Language header.
func (w *Tongue) LanguageOf(header string) string {
	tags, _, err := language.ParseAcceptLanguage(header)
	if err != nil || len(tags) == 0 {
		return header
	}
	base, _ := tags[0].Base()
	return display.Languages(language.MustParse(w.Code)).Name(base)
}

// Written is a number as people read it, and any other text as it is.
func Written(text string) string {
	if Dial(text) != "" {
		return Unbroken(Phone(text, ""))
	}
	return text
}

// ClockOf is a length of time in minutes and seconds, such as 1:04.
func ClockOf(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	if seconds < 3600 {
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// Host is a host, or a site's key, as people write it: почта.рф, where browsers send xn--80a1acny.xn--p1ai.
func Host(key string) string {
	if !strings.Contains(key, "xn--") {
		return key
	}
	written, err := idna.Display.ToUnicode(key)
	if err != nil {
		return key
	}
	return written
}

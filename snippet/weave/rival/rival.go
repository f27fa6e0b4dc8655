// Package rival knows the insertion code of another service with the same browser interface. It finds the code in a page,
// and puts it out of action as the page streams by, so that Frontdesk's takes its place. Who looks at samples of pages
// asks it, and the writer of pages.
//
// Two things are recognised: an account that a script sets, and a loader, which is a script by its address or one whose
// address an inline script has as a text. What is put together in pieces is not.
package rival

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// Own is the insertion code of the site itself, which is nobody else's.
type Own struct {
	Key  string // the account
	Path string // of the core script
}

// Code is an insertion code of another service.
type Code struct {
	// Loader is the address of its script as the page has it, without what follows the path, or empty if only the account
	// was recognised. It has at most 200 bytes.
	Loader string
	// Account has 32 letters, digits, hyphens and underscores. It is empty if it is not known.
	Account string
}

const (
	// accountLength is how many characters another service's account has.
	accountLength = 32
	// maxAddress is how long the address of a loader may be.
	maxAddress = 200
	// rooted is the path of a loader that needs no account beside it.
	rooted = "/static/cs.min.js"
)

// loaderNames are the file names of loaders.
var loaderNames = [][]byte{[]byte("cs.min.js"), []byte("svc.js")}

// Account returns the account of another service that an inline script sets, or "".
func (o *Own) Account(script []byte) string {
	steps.Walk(len(script))
	for word := []byte("Account"); ; {
		i := bytes.Index(script, word)
		if i < 0 {
			return ""
		}
		before, after := script[:i], script[i+len(word):]
		before = bytes.TrimSuffix(before, []byte("Cs"))
		if quote, ok := bytes.CutSuffix(before, []byte("set")); ok && len(quote) > 0 {
			if account := pushed(after, quote[len(quote)-1]); account != "" && account != o.Key {
				return account
			}
		}
		script = after
	}
}

// pushed reads the account behind the name of the setting that ends with this quotation mark.
func pushed(rest []byte, quote byte) string {
	if quote != '"' && quote != '\'' || len(rest) == 0 || rest[0] != quote {
		return ""
	}
	rest = trimSpace(rest[1:])
	if len(rest) == 0 || rest[0] != ',' {
		return ""
	}
	rest = trimSpace(rest[1:])
	if len(rest) < accountLength+2 || rest[0] != '"' && rest[0] != '\'' || rest[accountLength+1] != rest[0] {
		return ""
	}
	if account := string(rest[1 : accountLength+1]); isAccount(account) {
		return account
	}
	return ""
}

// trimSpace skips the blanks before the next word, of which there are few.
func trimSpace(b []byte) []byte {
	for i := range min(len(b), 64) {
		if !token.IsSpace(b[i]) {
			return b[i:]
		}
	}
	return nil
}

func isAccount(text string) bool {
	return len(text) == accountLength && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' && r != '_'
	})
}

// Loader returns the code whose loader has this address, and whether it is one. account is what the page has set before,
// or "".
func (o *Own) Loader(address, account string) (Code, bool) {
	steps.Walk(len(address))
	address = strings.TrimSpace(address)
	if len(address) > maxAddress {
		return Code{}, false
	}
	name := address
	if i := strings.IndexAny(name, "?#"); i >= 0 {
		name = name[:i]
	}
	if !hasLoaderName(name) {
		return Code{}, false
	}
	u, err := url.Parse(address)
	if err != nil {
		return Code{}, false
	}
	code := Code{name, account}
	if k := keyIn(u.RawQuery); k != "" {
		code.Account = k
		return code, isAccount(k) && k != o.Key
	}
	// Without an account of its own, a script on this host may be anything.
	return code, u.Host != "" && (u.Path == rooted || path.Base(u.Path) == "svc.js" && u.Path != o.Path && account != "")
}

// keyIn is the value of the first parameter "k" of a query that can be read.
func keyIn(query string) string {
	for parameter := range strings.SplitSeq(query, "&") {
		value, ok := strings.CutPrefix(parameter, "k=")
		if !ok {
			continue
		}
		if key, err := url.QueryUnescape(value); err == nil {
			return key
		}
	}
	return ""
}

func hasLoaderName(file string) bool {
	for _, name := range loaderNames {
		if rest, ok := strings.CutSuffix(file, string(name)); ok && strings.HasSuffix(rest, "/") {
			return true
		}
	}
	return false
}

// literal is a text in an inline script, without its quotation marks, that is the address of a loader.
type literal struct {
	from, to int
	code     Code
}

// maxLiterals is how many texts of an inline script are looked at.
const maxLiterals = 8

// literals returns the texts of an inline script that are addresses of loaders. None stands in another, as it may seem to
// behind a text that is not closed.
func (o *Own) literals(script []byte, account string) (found []literal) {
	steps.Walk(len(script))
	looks := 0
	for _, name := range loaderNames {
		for from := 0; looks < maxLiterals; looks++ {
			i := bytes.Index(script[from:], name)
			if i < 0 {
				break
			}
			i, from = from+i, from+i+len(name)
			l, ok := o.literal(script, i, from, account)
			if ok && !slices.ContainsFunc(found, func(f literal) bool { return l.from < f.to && f.from < l.to }) {
				found = append(found, l)
			}
		}
	}
	return found
}

// literal reads the text around a name that stands from i to end.
func (o *Own) literal(script []byte, i, end int, account string) (literal, bool) {
	before, after := script[max(0, i-maxAddress):i], script[end:min(len(script), end+maxAddress)]
	quote := bytes.LastIndexAny(before, "\"'`")
	if quote < 0 {
		return literal{}, false
	}
	n := bytes.IndexByte(after, before[quote])
	if n < 0 {
		return literal{}, false
	}
	l := literal{from: i - len(before) + quote + 1, to: end + n}
	text := strings.ReplaceAll(string(script[l.from:l.to]), `\/`, "/")
	if strings.ContainsAny(text, "\\\n${}") { // more than an address
		return literal{}, false
	}
	code, ok := o.Loader(text, account)
	l.code = code
	return l, ok
}

package frame

import (
	"net/http"

	"golang.org/x/text/language"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

var matcher = language.NewMatcher(words.Languages)

// LanguageCookie keeps the language of a browser in which nobody has signed in.
const LanguageCookie = "frontdesk_language"

// Words chooses the language: the account's, else the browser's chosen one,
// else the one that it asks for.
func (f *Frame) Words(r *http.Request) *words.Tongue {
	if o, found := Current(r); found {
		if w := f.Tongue(o.Language); w != nil {
			return w
		}
	}
	if cookie, err := r.Cookie(LanguageCookie); err == nil {
		if w := f.Tongue(cookie.Value); w != nil {
			return w
		}
	}
	tags, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return f.Tongues[0]
	}
	_, i, _ := matcher.Match(tags...)
	return f.Tongues[i]
}

func (f *Frame) Tongue(code string) *words.Tongue {
	for _, w := range f.Tongues {
		if w.Code == code {
			return w
		}
	}
	return nil
}

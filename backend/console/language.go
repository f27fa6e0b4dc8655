package console

import (
	"net/http"

	"golang.org/x/text/language"
)

var matcher = language.NewMatcher(languages)

// languageCookie keeps the language of a browser in which nobody has signed in.
const languageCookie = "frontdesk_language"

// wordsFor chooses the language: the account's, else the browser's chosen one,
// else the one that it asks for.
func (f *Frame) wordsFor(r *http.Request) *words {
	if o, found := current(r); found {
		if w := f.wordsOf(o.Language); w != nil {
			return w
		}
	}
	if cookie, err := r.Cookie(languageCookie); err == nil {
		if w := f.wordsOf(cookie.Value); w != nil {
			return w
		}
	}
	tags, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return f.words[0]
	}
	_, i, _ := matcher.Match(tags...)
	return f.words[i]
}

func (f *Frame) wordsOf(code string) *words {
	for _, w := range f.words {
		if w.Code == code {
			return w
		}
	}
	return nil
}

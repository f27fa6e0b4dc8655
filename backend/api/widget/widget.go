// Package widget writes how the panels of a site look and what they say, once for each version of its settings. The
// edge makes it; the rooms that serve panels ask it.
package widget

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"golang.org/x/text/language"

	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
	"github.com/seed-3405227d/frontdesk/locales"
)

// Widget is how the panels of a site look and what they say, ready to be told. It is made
// once for each version of the settings, and is safe for concurrent use.
type Widget struct {
	settings *appearance.Widget
	mask     string
	language string // that the site has set; empty for the visitor's

	mu      sync.Mutex
	written map[string]Written // by language
}

// Written is a look whose texts, which are most of it, are written already.
type Written struct {
	Texts  json.RawMessage
	Panels appearance.Panels
}

// New makes it of the settings in effect, nil where nobody has set any, and of the
// mask of phone numbers.
func New(settings *appearance.Widget, mask string) *Widget {
	w := &Widget{settings: settings, mask: mask, written: make(map[string]Written)}
	if settings != nil && settings.Language != nil {
		w.language = *settings.Language
	}
	return w
}

// In is what the panels are told in one of their languages.
func (w *Widget) In(language string) Written {
	w.mu.Lock()
	defer w.mu.Unlock()
	if written, found := w.written[language]; found {
		return written
	}
	look := w.settings.Look(language)
	look.Widget.Mask = w.mask
	texts, err := json.Marshal(look.Texts)
	if err != nil { // they are texts
		panic(fmt.Sprintf("writing the texts of the panels: %v", err))
	}
	w.written[language] = Written{texts, look.Widget}
	return w.written[language]
}

// Language is the language of the panels: the one that the site has set, or else the nearest to that of the page, or else
// to those that the visitor reads. The last two are written as in the Accept-Language field.
func (w *Widget) Language(page, accepted string) string {
	if w.language != "" {
		return w.language
	}
	if len(page) > maxPageLanguage {
		page = ""
	}
	for _, list := range [...]string{page, accepted} {
		tags, _, err := language.ParseAcceptLanguage(list)
		if err != nil || len(tags) == 0 {
			continue
		}
		if _, i, confidence := locales.Matcher.Match(tags...); confidence > language.No {
			return locales.Languages[i]
		}
	}
	return locales.Languages[0]
}

// maxPageLanguage is the length of a language's tag in bytes; see RFC 5646, section 4.4.1.
const maxPageLanguage = 35

// Invitation is the text of the invitation with the id, in the language nearest to that one;
// empty when there is none.
func (w *Widget) Invitation(tag, id string) string {
	if w == nil || id == "" {
		return ""
	}
	for _, i := range w.In(w.Language(tag, "")).Panels.Invitations {
		if i.ID == id {
			return i.Text
		}
	}
	return ""
}

// TakesFiles tells whether visitors may send files.
func (w *Widget) TakesFiles() bool {
	if w == nil {
		return true
	}
	return w.In(w.Language("", "")).Panels.Files
}

// AsksForRating tells whether visitors are asked what they think of closed conversations.
func (w *Widget) AsksForRating() bool {
	return w != nil && w.settings != nil && w.settings.Rating != nil && *w.settings.Rating
}

// Patience is how long visitors wait for an answer; 0 where nobody has said.
func (w *Widget) Patience() time.Duration {
	if w == nil || w.settings == nil || w.settings.Unanswered == nil {
		return 0
	}
	return time.Duration(*w.settings.Unanswered) * time.Second
}

package api

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"golang.org/x/text/language"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/locales"
)

// Widget is how the panels of a site look and what they say, ready to be told. It is made
// once for each version of the settings, and is safe for concurrent use.
type Widget struct {
	settings *site.Widget
	mask     string
	language string // that the site has set; empty for the visitor's

	mu      sync.Mutex
	written map[string]writtenLook // by language
}

// writtenLook is a look whose texts, which are most of it, are written already.
type writtenLook struct {
	texts  json.RawMessage
	panels site.Panels
}

// NewWidget makes it of the settings in effect, nil where nobody has set any, and of the
// mask of phone numbers.
func NewWidget(settings *site.Widget, mask string) *Widget {
	w := &Widget{settings: settings, mask: mask, written: make(map[string]writtenLook)}
	if settings != nil && settings.Language != nil {
		w.language = *settings.Language
	}
	return w
}

func (w *Widget) in(language string) writtenLook {
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
	w.written[language] = writtenLook{texts, look.Widget}
	return w.written[language]
}

type widgetAnswer struct {
	Success  bool            `json:"success"`
	Online   bool            `json:"online"`
	Language string          `json:"language"`
	Texts    json.RawMessage `json:"texts"`
	Widget   site.Panels     `json:"widget"`
}

// widget serves v1/widget?k=KEY&l=LANG: all that the panels need to be shown. It sets and
// stores nothing, so nobody has to agree to it.
func (a *API) widget(ctx context.Context, c *call) (any, error) {
	query := c.r.URL.Query()
	if query.Get("k") != c.site.Key {
		return nil, unknownSite()
	}
	widget := c.site.Widget
	if widget == nil {
		widget = NewWidget(nil, "")
	}
	chosen := widget.language
	if chosen == "" {
		chosen = panelLanguage(query.Get("l"), header(c.r, "Accept-Language", maxLanguage))
	}
	written := widget.in(chosen)
	answer := widgetAnswer{Success: true, Online: a.online(ctx, c), Language: chosen, Texts: written.texts, Widget: written.panels}
	answer.Widget.Captcha = c.site.Callback.Captcha
	answer.Widget.Sitephone = answer.Widget.Sitephone && a.callsBack(ctx, c)
	c.w.Header().Set("Cache-Control", "private, max-age=60")
	c.w.Header().Add("Vary", "Accept-Language")
	return answer, nil
}

// callsBack tells whether the site can have callbacks. While it cannot be told, it can.
func (a *API) callsBack(ctx context.Context, c *call) bool {
	possible, err := a.Callbacks.Possible(ctx, c.site.ID, c.site.Callback)
	return possible || err != nil
}

// panelLanguage is the language of the panels for a page in a language and a visitor who
// reads some, as Accept-Language tells them. What a page says in no language that can be
// read is the visitor's.
func panelLanguage(page, accepted string) string {
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

// invitation is the text of the invitation with the id, in the language nearest to that one;
// empty when there is none.
func (w *Widget) invitation(tag, id string) string {
	if w == nil || id == "" {
		return ""
	}
	chosen := w.language
	if chosen == "" {
		chosen = panelLanguage(tag, "")
	}
	for _, i := range w.in(chosen).panels.Invitations {
		if i.ID == id {
			return i.Text
		}
	}
	return ""
}

// takesFiles tells whether visitors may send files.
func (w *Widget) takesFiles() bool {
	if w == nil {
		return true
	}
	chosen := w.language
	if chosen == "" {
		chosen = panelLanguage("", "")
	}
	return w.in(chosen).panels.Files
}

// patience is how long visitors wait for an answer; 0 where nobody has said.
func (w *Widget) patience() time.Duration {
	if w == nil || w.settings == nil || w.settings.Unanswered == nil {
		return 0
	}
	return time.Duration(*w.settings.Unanswered) * time.Second
}

// Package words is what the console says: its texts in each language, how it writes numbers, times and addresses, and
// what others have written, cut to a line and with nothing in it that hides or reorders. All rooms ask it.
package words

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/seed-3405227d/frontdesk/locales"
)

// Tongue are the texts and writings of one language.
type Tongue struct {
	Code string // of the language, such as "ru"
	Name string // in the language itself
	Now  func() time.Time
	// Currency is that of the sums that are written: ISO 4217; empty where it is not told.
	Currency string
	in       *i18n.Localizer
	whole    *sync.Map // the messages without gaps, by their names
	Out      *message.Printer
}

// All returns a tongue for each of the languages, in their order. All who ask share the texts.
func All(now func() time.Time) []*Tongue {
	all := make([]*Tongue, len(locales.Languages))
	for i, w := range shared() {
		own := *w
		own.Now = now
		all[i] = &own
	}
	return all
}

// shared are the tongues, without the time.
var shared = sync.OnceValue(func() []*Tongue {
	bundle := i18n.NewBundle(language.MustParse(locales.Languages[0]))
	all := make([]*Tongue, len(locales.Languages))
	for i, code := range locales.Languages {
		if _, err := bundle.LoadMessageFileFS(locales.Files, "console/"+code+".json"); err != nil {
			panic(err) // embedded, and held by a test
		}
		all[i] = &Tongue{Code: code, Out: message.NewPrinter(language.MustParse(code)), whole: new(sync.Map)}
	}
	for _, w := range all {
		w.in = i18n.NewLocalizer(bundle, w.Code)
		w.Name = w.Text("language.name")
	}
	return all
})

// In returns the tongue that writes sums in the currency; see [Tongue.Currency].
func (w *Tongue) In(currency string) *Tongue {
	if currency == w.Currency {
		return w
	}
	other := *w
	other.Currency = currency
	return &other
}

// Text is the message of that name. Values for its gaps follow as pairs of name
// and value; the one named "n" chooses the plural form. Texts among them are cut to a line.
func (w *Tongue) Text(id string, pairs ...any) string {
	if len(pairs) == 0 {
		if text, known := w.whole.Load(id); known {
			return text.(string)
		}
	}
	config := &i18n.LocalizeConfig{MessageID: id}
	if len(pairs) > 0 {
		gaps := make(map[string]any, len(pairs)/2)
		for i := 0; i+1 < len(pairs); i += 2 {
			name, value := pairs[i].(string), pairs[i+1]
			switch v := value.(type) {
			case int:
				if name == "n" {
					config.PluralCount = v
				}
				value = w.Number(v)
			case string:
				value = shortly(v)
			}
			gaps[name] = value
		}
		config.TemplateData = gaps
	}
	text, err := w.in.Localize(config)
	if err != nil && text == "" {
		return id
	}
	if len(pairs) == 0 {
		w.whole.Store(id, text)
	}
	return text
}

func (w *Tongue) Number(n int) string {
	if n > -10000 && n < 10000 {
		return strconv.Itoa(n)
	}
	return w.Out.Sprintf("%d", n)
}

// Script is what the page's script needs of the words, as JSON. In its texts #
// stands for the first figure and % for the second.
func (w *Tongue) Script() (string, error) {
	gaps := []any{"count", "#", "minutes", "%"}
	// The plural forms of a language, each by a number that takes it.
	arrivals := make(map[string]string)
	for form, n := range map[string]int{"one": 1, "few": 2, "many": 5, "other": 2} {
		arrivals[form] = strings.Replace(w.Text("arrival.several", "n", n), strconv.Itoa(n), "#", 1)
	}
	text, err := json.Marshal(map[string]any{
		"now":         w.Text("ago.now"),
		"minutes":     w.Text("ago.minutes", gaps...),
		"hours":       w.Text("ago.hours", gaps...),
		"days":        w.Text("ago.days", gaps...),
		"seconds":     w.Text("span.seconds", gaps...),
		"minutesLong": w.Text("span.minutes", gaps...),
		"hoursLong":   w.Text("span.hours", gaps...),
		"waiting":     w.Text("waiting", gaps...),
		"arrivals":    arrivals,
	})
	return string(text), err
}

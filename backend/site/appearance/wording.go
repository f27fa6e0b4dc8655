package appearance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/locales"
)

// EveryLanguage is the key of a [Wording] for all languages that it does not name.
const EveryLanguage = "*"

// Wording is a text of the site's own in the languages of the panels, by their codes. In JSON it may be just a string,
// which then holds for every language.
type Wording map[string]string

// In returns the text in the language, or "".
func (w Wording) In(language string) string {
	if text, set := w[language]; set {
		return text
	}
	return w[EveryLanguage]
}

// Set returns the wording with the text set for the language.
func (w Wording) Set(language, text string) Wording {
	set := maps.Clone(w)
	if set == nil {
		set = make(Wording)
	}
	set[language] = text
	return set
}

// over lays the wording over another one. A text for every language hides the other's texts for single languages.
func (w Wording) over(defaults Wording) Wording {
	if len(w) == 0 {
		return defaults
	}
	if _, every := w[EveryLanguage]; every || len(defaults) == 0 {
		return w
	}
	over := maps.Clone(defaults)
	maps.Copy(over, w)
	return over
}

// Check returns an error if a text of the wording is too long or has several lines. name names the wording, most is the
// limit in characters.
func (w Wording) Check(name string, most int) error {
	for _, language := range slices.Sorted(maps.Keys(w)) {
		text := w[language]
		switch {
		case language != EveryLanguage && CheckLanguage(language) != nil || language == "":
			return fmt.Errorf("%s in the language %.80q: expected %s", name, language, strings.Join(locales.Languages, " or "))
		case strings.TrimSpace(text) == "":
			return fmt.Errorf("%s: expected a text", name)
		case utf8.RuneCountInString(text) > most:
			return fmt.Errorf("%s: expected at most %d characters", name, most)
		case strings.ContainsFunc(text, isControl):
			return fmt.Errorf("%s: expected text of one line without control characters", name)
		}
	}
	return nil
}

// MarshalJSON writes a text for every language as a string.
func (w Wording) MarshalJSON() ([]byte, error) {
	if text, every := w[EveryLanguage]; every && len(w) == 1 {
		return json.Marshal(text)
	}
	return json.Marshal(map[string]string(w))
}

// UnmarshalJSON reads a string, or texts by their languages.
func (w *Wording) UnmarshalJSON(content []byte) error {
	content = bytes.TrimSpace(content)
	if bytes.HasPrefix(content, []byte(`"`)) {
		var text string
		if err := json.Unmarshal(content, &text); err != nil {
			return err
		}
		*w = Wording{EveryLanguage: text}
		return nil
	}
	var texts map[string]string
	if err := json.Unmarshal(content, &texts); err != nil {
		return errors.New("expected a text, or an object of texts by their languages")
	}
	*w = texts
	return nil
}

// any returns the text of the first language that has one.
func (w Wording) any() string {
	for _, language := range locales.Languages {
		if text := w.In(language); text != "" {
			return text
		}
	}
	return ""
}

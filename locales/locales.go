// Package locales has the texts that people read, in each language: those of the console, of the panels on sites' pages, of
// mails and of previews. A translator works here alone. Whoever says something to people asks it.
package locales

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Files are the texts: a folder for each of those who speak, a file of JSON for each language. The console's have plural
// forms, as go-i18n reads them.
//
//go:embed */*.json
var Files embed.FS

// Languages are the languages of all texts, as BCP 47 has them. The first is for those who read none of them.
var Languages = []string{"en", "ru"}

// Matcher finds the best of [Languages] for what somebody reads. Its index is that of Languages.
var Matcher = func() language.Matcher {
	tags := make([]language.Tag, len(Languages))
	for i, code := range Languages {
		tags[i] = language.MustParse(code)
	}
	return language.NewMatcher(tags)
}()

// Language returns the one of [Languages] that suits a tag of BCP 47 best, such as "ru" for "ru-RU", and the first where
// none does.
func Language(tag string) string {
	primary, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	if primary = strings.ToLower(strings.TrimSpace(primary)); slices.Contains(Languages, primary) {
		return primary
	}
	return Languages[0]
}

// Read returns the texts of the folder by their keys, for each of [Languages]. It panics if there are none, or with plural
// forms.
func Read(folder string) map[string]map[string]string {
	texts := make(map[string]map[string]string)
	for _, code := range Languages {
		content, err := Files.ReadFile(folder + "/" + code + ".json")
		var read map[string]string
		if err == nil {
			err = json.Unmarshal(content, &read)
		}
		if err != nil {
			panic(fmt.Sprintf("reading texts of %s: %v", folder, err)) // embedded
		}
		texts[code] = read
	}
	return texts
}

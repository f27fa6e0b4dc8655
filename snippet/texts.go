package snippet

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

//go:embed browser/locales/*.json
var locales embed.FS

// texts are the sentences of the panels by their keys, by languages.
var texts = readTexts()

func readTexts() map[string]map[string]string {
	read := make(map[string]map[string]string)
	files, err := locales.ReadDir("browser/locales")
	if err != nil {
		panic(fmt.Sprintf("reading the panels' texts: %v", err))
	}
	for _, file := range files {
		content, err := locales.ReadFile(path.Join("browser/locales", file.Name()))
		if err != nil {
			panic(fmt.Sprintf("reading the panels' texts: %v", err))
		}
		var of map[string]string
		if err := json.Unmarshal(content, &of); err != nil {
			panic(fmt.Sprintf("reading the panels' texts in %s: %v", file.Name(), err))
		}
		read[strings.TrimSuffix(file.Name(), ".json")] = of
	}
	return read
}

// DefaultLanguage is the language of the panels where the page names none that they speak.
const DefaultLanguage = "en"

// Languages are the languages of the panels, as BCP 47 has them, in order.
func Languages() []string { return slices.Sorted(maps.Keys(texts)) }

// Language is the one of [Languages] that suits a tag of BCP 47 best, such as "ru" for "ru-RU": DefaultLanguage where none does.
func Language(tag string) string {
	primary, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	if primary = strings.ToLower(strings.TrimSpace(primary)); texts[primary] != nil {
		return primary
	}
	return DefaultLanguage
}

// Texts are what the panels say in the language that [Language] finds for the tag, by keys such as "chat.title". The map is the
// caller's to change.
func Texts(tag string) map[string]string { return maps.Clone(texts[Language(tag)]) }

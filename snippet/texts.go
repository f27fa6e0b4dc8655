package snippet

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
)

//go:embed browser/locales/*.json
var locales embed.FS

// Languages are those of the panels' built-in texts, the one for everybody else first.
var Languages = []string{"en", "ru"}

var texts = func() map[string]map[string]string {
	all := make(map[string]map[string]string)
	for _, language := range Languages {
		content, err := locales.ReadFile("browser/locales/" + language + ".json")
		if err == nil {
			read := make(map[string]string)
			err, all[language] = json.Unmarshal(content, &read), read
		}
		if err != nil { // embedded, and held by a test
			panic(fmt.Sprintf("reading the texts of the panels: %v", err))
		}
	}
	return all
}()

// Texts are the built-in texts of the panels in the language, by their keys; those of the first language where it is none of
// Languages. They are the caller's.
func Texts(language string) map[string]string {
	found, known := texts[language]
	if !known {
		found = texts[Languages[0]]
	}
	return maps.Clone(found)
}

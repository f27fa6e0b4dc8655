package snippet_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/stretchr/testify/require"
)

func TestTextsAreThereInEveryLanguage(t *testing.T) {
	require.Equal(t, []string{"en", "ru"}, snippet.Languages())
	keys := slices.Sorted(maps.Keys(snippet.Texts("en")))
	for _, language := range snippet.Languages() {
		texts := snippet.Texts(language)
		require.Equal(t, keys, slices.Sorted(maps.Keys(texts)), language)
		for key, text := range texts {
			require.NotEmpty(t, strings.TrimSpace(text), key)
		}
	}
}

func TestTextsAreFoundByTheLanguageOfThePage(t *testing.T) {
	for tag, language := range map[string]string{
		"": "en", "en": "en", "en-GB": "en", "ru": "ru", "RU-ru": "ru", "ru_RU": "ru", "rue": "en", "de": "en", "../../ru": "en", "-": "en",
	} {
		require.Equal(t, language, snippet.Language(tag), tag)
		require.Equal(t, snippet.Texts(language), snippet.Texts(tag))
	}
	snippet.Texts("en")["panel.close"] = "changed"
	require.NotEqual(t, "changed", snippet.Texts("en")["panel.close"])
}

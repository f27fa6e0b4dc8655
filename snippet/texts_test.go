package snippet_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
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

// A text that no source names is nobody's, and a text that is not there would be seen as its key. A name that ends with
// a dot stands for all that begin with it.
func TestTextsAreThoseOfThePanels(t *testing.T) {
	keys := slices.Sorted(maps.Keys(snippet.Texts("en")))
	unnamed := slices.Clone(keys)
	literal := regexp.MustCompile(`'((?:captcha|chat|field|form|invitation|launcher|panel|phone|request)(?:\.[a-z0-9_]+)*\.?)'`)
	for _, folder := range []string{"panels", "chat"} {
		sources, err := filepath.Glob(filepath.Join("browser", folder, "*.ts"))
		require.NoError(t, err)
		require.NotEmpty(t, sources)
		for _, source := range sources {
			content, err := os.ReadFile(source)
			require.NoError(t, err)
			for _, match := range literal.FindAllSubmatch(content, -1) {
				name := string(match[1])
				meant := func(key string) bool {
					return key == name || strings.HasSuffix(name, ".") && strings.HasPrefix(key, name)
				}
				if strings.Contains(name, ".") {
					require.True(t, slices.ContainsFunc(keys, meant), "%s in %s", name, source)
				}
				unnamed = slices.DeleteFunc(unnamed, meant)
			}
		}
	}
	require.Empty(t, unnamed)
}

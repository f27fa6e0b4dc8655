package snippet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
)

func TestTextsAreFoundByTheLanguageOfThePage(t *testing.T) {
	require.Equal(t, snippet.Texts("en"), snippet.Texts("de"))
	require.NotEqual(t, snippet.Texts("en"), snippet.Texts("ru-RU"))
	snippet.Texts("en")["panel.close"] = "changed"
	require.NotEqual(t, "changed", snippet.Texts("en")["panel.close"])
}

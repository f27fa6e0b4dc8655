package console

import (
	"html"
	"testing"

	"github.com/stretchr/testify/require"
)

// What belongs to a text stays as it was written.
func TestWhatBelongsToATextIsLeftAlone(t *testing.T) {
	for _, text := range []string{
		"Anna O'Brien & Söhne", "Ёлки-палки, №1", "two\nlines\tand a tab", "não — “sim”", "e\u0301 combined",
		"👩\u200d👩\u200d👧 👍🏽 ❤️ 1️⃣", "می\u200cخواهم", "क्\u200dष श्री", "שלום", "日本語 葛󠄀", "a b",
	} {
		require.Equal(t, "<bdi>"+text+"</bdi>", html.UnescapeString(string(said(text))), text)
	}
	require.Equal(t, "<bdi>two\nlines</bdi>", string(said("two\r\nlines")))
	require.Equal(t, "<bdi>a</bdi> · <bdi>b</bdi>", string(said([]string{"a", "b"})))
	require.Equal(t, "Anna · Boris", plainly([]string{"Anna", "Boris"}))
	require.Equal(t, "\u2068שלום\u2069 · Boris", plainly([]string{"שלום", "Boris"}))
}

func TestWhatIsUnseenIsNamed(t *testing.T) {
	for text, named := range map[string]string{
		"a\x00b":            "a[U+0000]b",
		"a\rb":              "a[U+000D]b",
		"\x7f":              "[U+007F]",
		"a\u202eb\u202c":    "a[U+202E]b[U+202C]",
		"\u2068a\u2069":     "[U+2068]a[U+2069]",
		"ad\u200dmin":       "ad[U+200D]min",
		"\u200c":            "[U+200C]",
		"a\ufe0f\ufe0f":     "a\ufe0f[U+FE0F]",
		"\ufeff \U000e0061": "[U+FEFF] [U+E0061]",
		"\u2800\u3164":      "[U+2800][U+3164]",
		"broken \xff\xfe.":  "broken \ufffd.",
	} {
		require.Equal(t, named, plainly(text))
	}
	require.Equal(t, `<bdi>&lt;b&gt;<span class="unseen">U+202E</span>&lt;/b&gt;</bdi>`, string(said("<b>\u202e</b>")))
}

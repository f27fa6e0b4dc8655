package words

import (
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// What belongs to a text stays as it was written.
func TestWhatBelongsToATextIsLeftAlone(t *testing.T) {
	for _, text := range []string{
		"Anna O'Brien & Söhne", "Ёлки-палки, №1", "two\nlines\tand a tab", "não — “sim”", "e\u0301 combined",
		"👩\u200d👩\u200d👧 👍🏽 ❤️ 1️⃣", "می\u200cخواهم", "क्\u200dष श्री", "שלום", "日本語 葛󠄀", "a b",
	} {
		require.Equal(t, "<bdi>"+text+"</bdi>", html.UnescapeString(string(Said(text))), text)
	}
	require.Equal(t, "<bdi>two\nlines</bdi>", string(Said("two\r\nlines")))
	require.Equal(t, "<bdi>a</bdi> · <bdi>b</bdi>", string(Said([]string{"a", "b"})))
	require.Equal(t, "Anna · Boris", Plainly([]string{"Anna", "Boris"}))
	require.Equal(t, "\u2068שלום\u2069 · Boris", Plainly([]string{"שלום", "Boris"}))
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
		"\u2800\u3164":      "[U+2800…U+3164 ×2]",
		"a\x7f\x7f\x7fb":    "a[U+007F ×3]b",
		"broken \xff\xfe.":  "broken \ufffd.",
	} {
		require.Equal(t, named, Plainly(text))
	}
	require.Equal(t, `<bdi>&lt;b&gt;<span class="unseen">U+202E</span>&lt;/b&gt;</bdi>`, string(Said("<b>\u202e</b>")))
}

// A line has at most 300 signs and little HTML, whatever is in it; and a text on its own page as much as it is given.
func TestALineIsShort(t *testing.T) {
	require.Equal(t, strings.Repeat("я", lineSigns), Plainly(strings.Repeat("я", lineSigns)))
	require.Equal(t, strings.Repeat("я", lineSigns-1)+"…", Plainly(strings.Repeat("я", lineSigns+1)))
	require.Equal(t, "я", shortly("я"))
	for name, worst := range worstTexts {
		for _, text := range []string{strings.Repeat(worst, 1<<20/len(worst)), strings.Repeat(worst, 200)} {
			const around = len("<bdi></bdi>…") // and what makes a line one
			require.LessOrEqual(t, len(Said(text)), LineSize+around, name)
			require.LessOrEqual(t, len(Said([]string{text, text, text})), LineSize+3*around, name)
			require.LessOrEqual(t, len(html.EscapeString(Plainly(text))), LineSize+around, name)
			require.LessOrEqual(t, utf8.RuneCountInString(Plainly(text)), lineSigns+2, name) // beside what isolates it
			shown, cut := Whole(text, WholeSize)
			require.LessOrEqual(t, len(shown), WholeSize+around, name)
			require.Equal(t, len(strings.ToValidUTF8(text, "?")) > 1<<19, cut, name)
			require.LessOrEqual(t, len(shown)+strings.Count(string(shown), "\n")*len("data: "), WholeSize+around, name) // as the data of an event
		}
	}
}

// worstTexts are texts that grow when they are shown, or are more than they look.
var worstTexts = map[string]string{
	"unseen": "\x7f", "soft hyphens": "\u00ad", "unseen between": "a\u200b", "marks": "\u202e\u202c b", "markup": "<", "entities": "&", "quotes": `"'`,
	"plus": "+", "combining": "a\u0301\u0302\u0303", "emoji": "😀", "from the right": "ש\u200f", "lines": "\n", "returns": "\r\n", "tags": "\U000e0041", "broken": "\xff", "letters": "я",
}

package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// However long a lead is, its words are those of the first 8 KB, and finding them costs no more than that.
func TestWordsOfLongLeads(t *testing.T) {
	fields := make(map[string]string)
	for i := range 100 {
		fields[fmt.Sprint("field", i)] = strings.Repeat("b ", 1000)
	}
	l := Texts{SiteID: 1, ID: 2, Name: "Anna", UserFields: fields,
		Message: strings.Repeat("a ", 3000) + "within " + strings.Repeat("a ", 3000) + "behind " + strings.Repeat("a ", 200_000)}
	var words []string
	const searched = 8 << 10
	stepstest.Price{Besides: stepstest.Cost{Walked: 4 * searched, Allocated: 64 * searched}}.Hold(t, 0, func() { words = vocabularyOf([]Texts{l}) })
	require.Contains(t, words, "within")
	require.NotContains(t, words, "behind")
	l.Message = strings.Repeat("a ", 2000)
	require.Contains(t, vocabularyOf([]Texts{l}), "b", "the user fields come behind the message")
}

// priceOfSigns is that of texts in which a sign of 3 bytes, such as U+FDFA, stands for 18 others of 33 bytes in all.
var priceOfSigns = stepstest.Price{Each: stepstest.Cost{Walked: stepstest.Usual.Each.Walked, Allocated: 160}, Besides: stepstest.Usual.Besides}

// FuzzSearch holds the words of leads and of searches to letters and digits: so they stand in both engines' languages of
// searches as they are. A lead is found by a word of its own.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{"Ann Larsen", "+7 (495) 111-22-33", "анна@example.com", "ランプ", "a\"b' OR \"c\"* & !d:*", "8 800 555 35 35 lamps", "ﬁ Å\u0301", "_1", strings.Repeat("1", 30) + " " + strings.Repeat("2", 30), strings.Repeat("ﷺ", 500)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := func(words []string) {
			for _, word := range words {
				require.NotContains(t, word, "\x00")
				require.True(t, utf8.ValidString(word), "%q", word)
				require.False(t, strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "%q", word)
				require.LessOrEqual(t, utf8.RuneCountInString(word), maxWord)
			}
		}
		text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "") // as all that is stored
		l := Texts{SiteID: 1, ID: 2, Name: text, Email: text, Phone: text, Message: text, FormName: text}
		var words []string
		priceOfSigns.Hold(t, 5*len(text), func() { words = vocabularyOf([]Texts{l}) })
		size, whole := len(strings.Join(words, " ")), strings.Join(wordsOf(text), " ")
		require.LessOrEqual(t, len(words), maxWords)
		require.Less(t, size, min(maxRoom, leastRoom+wordsPerByte*len(l.Name+l.Email+l.Phone+l.Message+l.FormName)))
		require.Equal(t, siteWord(1), words[0])
		plain(words[1:])
		slices.Sort(words)
		for _, word := range wordsOf(text) {
			s, err := Read(word)
			if err == nil && s != nil && len(words) < maxWords && len(whole) <= 2*len(text) && 5*len(text) < MaxSearched {
				require.True(t, s.metBy(words), "%q", word)
			}
		}
		if s, err := Read(text); err == nil {
			plain(s.all())
		}
	})
}

// metBy reports whether the words, in order, have what is searched.
func (s Query) metBy(words []string) bool {
	begun := func(word string) bool {
		at, _ := slices.BinarySearch(words, word)
		return at < len(words) && strings.HasPrefix(words[at], word)
	}
	return !slices.ContainsFunc(s, func(alternatives [][]string) bool {
		return !slices.ContainsFunc(alternatives, func(way []string) bool {
			return !slices.ContainsFunc(way, func(word string) bool { return !begun(word) })
		})
	})
}

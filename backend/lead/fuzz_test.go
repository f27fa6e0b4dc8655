package lead

import (
	"encoding/json"
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
	l := Lead{SiteID: 1, ID: 2, Name: "Anna", UserFields: fields,
		Message: strings.Repeat("a ", 3000) + "within " + strings.Repeat("a ", 3000) + "behind " + strings.Repeat("a ", 200_000)}
	var words []string
	const searched = 8 << 10
	stepstest.Price{Besides: stepstest.Cost{Walked: 4 * searched, Allocated: 64 * searched}}.Hold(t, 0, func() { words = vocabularyOf([]Lead{l}) })
	require.Contains(t, words, "within")
	require.NotContains(t, words, "behind")
	l.Message = strings.Repeat("a ", 2000)
	require.Contains(t, vocabularyOf([]Lead{l}), "b", "the user fields come behind the message")
}

// FuzzSearch holds the words of leads and of searches to letters and digits: so they stand in both engines' languages of
// searches as they are. A lead is found by a word of its own.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{"Ann Larsen", "+7 (495) 111-22-33", "анна@example.com", "ランプ", "a\"b' OR \"c\"* & !d:*", "8 800 555 35 35 lamps", "ﬁ Å\u0301", "_1", strings.Repeat("1", 30) + " " + strings.Repeat("2", 30)} {
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
		text = strings.ToValidUTF8(text, "\uFFFD") // as all that is stored
		l := Lead{SiteID: 1, ID: 2, Name: text, Email: text, Phone: text, Message: text, FormName: text}
		var words []string
		stepstest.Hold(t, 5*len(text), func() { words = vocabularyOf([]Lead{l}) })
		size, whole := len(strings.Join(words, " ")), strings.Join(wordsOf(text), " ")
		require.LessOrEqual(t, len(words), maxWords)
		require.Less(t, size, min(maxRoom, leastRoom+wordsPerByte*len(l.Name+l.Email+l.Phone+l.Message+l.FormName)))
		require.Equal(t, siteWord(1), words[0])
		plain(words[1:])
		slices.Sort(words)
		for _, word := range wordsOf(text) {
			s, err := readSearch(word)
			if err == nil && s != nil && len(words) < maxWords && len(whole) <= 2*len(text) && 5*len(text) < maxSearched {
				require.True(t, s.metBy(words), "%q", word)
			}
		}
		if s, err := readSearch(text); err == nil {
			plain(s.all())
		}
	})
}

// FuzzFieldsIn holds that of user fields as they are stored the beginning is read, wherever it ends.
func FuzzFieldsIn(f *testing.F) {
	f.Add("city", "Oslo", "size", "\n\"<é\u2028", uint16(0))
	f.Add("", "", "\\", "\\", uint16(5))
	f.Add("a\"", "\":\"}", "b", "", uint16(1))
	f.Fuzz(func(t *testing.T, name, value, other, long string, behind uint16) {
		fields := map[string]string{}
		for name, value := range map[string]string{name: value, other: long + strings.Repeat(long, begunFields/max(1, len(long)))} {
			fields[strings.ToValidUTF8(name, "\ufffd")] = strings.ToValidUTF8(value, "\ufffd")
		}
		stored, err := json.Marshal(fields)
		require.NoError(t, err)
		end := begunFields + int(behind)%64
		for end < len(stored) && !utf8.RuneStart(stored[end]) {
			end++ // databases cut between characters
		}
		var begun map[string]string
		stepstest.Hold(t, end, func() { begun, err = fieldsIn(string(stored[:min(end, len(stored))])) })
		require.NoError(t, err)
		for name, value := range begun {
			require.True(t, strings.HasPrefix(fields[name], value), "%q", name)
		}
		whole, err := fieldsIn(string(stored))
		require.NoError(t, err)
		require.Equal(t, fields, whole)
	})
}

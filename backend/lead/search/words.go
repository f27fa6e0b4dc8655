// Package search finds leads by what stands in them. It knows which words of a lead are searched, keeps them in the
// database's own index of texts, and reads what an operator has typed. Leads are kept found by package lead, and looked
// for by package inbox.
package search

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// What is found of a lead.
const (
	// MaxSearched is how many bytes of a lead are searched: its contacts, then its message, then its user fields by
	// their names. Of leads that are merged, each has an equal part of it, and leastSearched at the least.
	MaxSearched, leastSearched = 8 << 10, 512
	// maxWords is how many different words of a lead can be found: of a longer text, the first.
	maxWords = 2000
	// The words of a lead take no more bytes than wordsPerByte for each that is searched and leastRoom beside, and
	// maxRoom in all. Only names and texts of very long words, or of a script without blanks, take so many.
	wordsPerByte, leastRoom, maxRoom = 4, 2 << 10, 32 << 10
	// maxWord is how many characters of a word count.
	maxWord = 40
	// wholeDigits is how many digits a telephone number has that is written whole.
	wholeDigits = 7
	// leastPart is how many characters a part of a contact has that is found inside a word.
	leastPart = 3
)

// folded is the text as it is compared: without accents, and in small letters.
func folded(text string) string {
	steps.Walk(len(text))
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(text)))
}

// wordsOf are the words of the text: runs of letters and digits, cut to maxWord.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(folded(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		if utf8.RuneCountInString(word) > maxWord {
			words[i] = string([]rune(word)[:maxWord])
		}
	}
	return words
}

// unspaced tells whether the word is of a script that writes no blanks between words.
func unspaced(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) })
}

// dialled is what looks like a telephone number in a text.
var dialled = regexp.MustCompile(`[+(]{0,2}\d[\d\s().\x{2010}-\x{2013}\x{a0}/-]*\d`)

// vocabulary gathers the words by which a lead is found.
type vocabulary struct {
	words []string
	known map[string]bool
	// size is how many bytes the words have, with a blank behind each, and room how many they may have.
	size, room int
}

func (v *vocabulary) add(word string) {
	size := v.size + len(word) + 1
	if word != "" && len(v.words) < maxWords && size <= min(v.room, maxRoom) && !v.known[word] {
		v.known[word] = true
		v.words = append(v.words, word)
		v.size = size
	}
}

// parts adds the word and all its ends of least characters and more: what is searched is the
// beginning of one of them, and so any part of the word.
func (v *vocabulary) parts(word string, least int) {
	v.add(word)
	for left := utf8.RuneCountInString(word); left > least; left-- {
		_, size := utf8.DecodeRuneInString(word)
		word = word[size:]
		v.add(word)
	}
}

// all adds the words, and the parts of each as far as least says; 0 for none. Whole words come first, so that parts
// push none out.
func (v *vocabulary) all(words []string, least func(word string) int) {
	for _, word := range words {
		v.add(word)
	}
	for _, word := range words {
		if n := least(word); n > 0 {
			v.parts(word, n)
		}
	}
}

// contact adds a name or an e-mail, which are found by any part.
func (v *vocabulary) contact(text string) {
	v.all(wordsOf(text), func(word string) int {
		if unspaced(word) {
			return 1
		}
		return leastPart
	})
}

// text adds a text, which is found by the beginnings of its words, and the telephone numbers in it.
func (v *vocabulary) text(text string) {
	v.all(wordsOf(text), func(word string) int {
		if unspaced(word) {
			return 1
		}
		return 0
	})
	steps.Walk(len(text))
	for _, number := range dialled.FindAllString(text, 20) {
		if digits := contact.Digits(number); len(digits) >= wholeDigits && len(digits) <= 20 {
			v.parts(digits, leastPart)
		}
	}
}

// siteWord is the word of a site's leads. No text has one like it.
func siteWord(siteID int64) string { return "_" + strconv.FormatInt(siteID, 10) }

// read is the beginning of the text that is searched, where so many bytes are left to be.
func (v *vocabulary) read(text string, left *int) string {
	text = clip.Text(text, *left)
	*left -= len(text)
	v.room += wordsPerByte * len(text)
	return text
}

// Texts are those by which a lead is found.
type Texts struct {
	SiteID, ID            int64
	Phone, PhoneDigits    string // as written, and in international form
	Name, Email, FormName string
	Message               string
	UserFields            map[string]string
}

// Words are those by which a lead is found that the leads are parts of, with blanks between them. However long the
// texts are, it takes less than a few milliseconds.
func Words(leads ...Texts) string { return strings.Join(vocabularyOf(leads), " ") }

func vocabularyOf(leads []Texts) []string {
	v := vocabulary{known: make(map[string]bool), room: leastRoom * len(leads)}
	left := make([]int, len(leads))
	for i, l := range leads {
		left[i] = max(MaxSearched/len(leads), leastSearched)
		v.add(siteWord(l.SiteID))
		v.add(strconv.FormatInt(l.ID, 10))
		for _, digits := range []string{l.PhoneDigits, contact.Digits(v.read(l.Phone, &left[i]))} {
			v.parts(digits[:min(len(digits), maxWord)], leastPart)
		}
		v.contact(v.read(l.Name, &left[i]))
		v.contact(v.read(l.Email, &left[i]))
		v.text(v.read(l.FormName, &left[i]))
	}
	for i, l := range leads { // contacts come first: a long message must not push them out
		v.text(v.read(l.Message, &left[i]))
		for _, name := range slices.Sorted(maps.Keys(l.UserFields)) {
			if v.read(name, &left[i]); left[i] == 0 {
				break
			}
			v.text(v.read(l.UserFields[name], &left[i]))
		}
	}
	return v.words
}

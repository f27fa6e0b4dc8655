package capture

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

var emailForm = regexp.MustCompile(`^[^\s@<>()",;:]{1,64}@[^\s@<>()",;:]+\.[^\s@<>()",;:]{2,}$`)

func isEmail(v string) bool { return len(v) <= maxEmail && emailForm.MatchString(v) }

// maxEmail is the longest address in bytes (RFC 5321, section 4.5.3.1).
const maxEmail = 254

// emailIn returns the first e-mail address in the text, or "". It takes time in proportion to the text.
func emailIn(text string) string {
	steps.Walk(len(text))
	isOf := func(c byte) bool {
		return c >= utf8.RuneSelf || isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("._-+", c) >= 0
	}
	for at := range len(text) {
		if text[at] != '@' {
			continue
		}
		from, to := at, at+1
		for from > 0 && at-from < maxEmail && isOf(text[from-1]) {
			from--
		}
		for to < len(text) && to-at < maxEmail && isOf(text[to]) {
			to++
		}
		if address := strings.Trim(text[from:to], "._-+"); isEmail(address) && utf8.ValidString(address) {
			return address
		}
	}
	return ""
}

func hasDigits(v string, n int) bool {
	for i := 0; i < len(v) && n > 0; i++ {
		if isDigit(v[i]) {
			n--
		}
	}
	return n <= 0
}

var phoneForm = regexp.MustCompile(`^\+?[\d\s().\-\x{2010}-\x{2015}\x{00a0}]{7,30}$`)

// looksLikePhone reports whether the text is written as telephone numbers are. Bare digits may be anything.
func looksLikePhone(v string) bool {
	return len(v) <= 100 && phoneForm.MatchString(v) && hasDigits(v, 7)
}

// isText reports whether the text is some words that somebody has written.
func isText(v string) bool {
	return utf8.RuneCountInString(v) >= 20 && len(firstWords(v, 4)) == 4 || strings.Contains(v, "\n")
}

// firstWords returns the first n words of a text.
func firstWords(v string, n int) []string {
	words := make([]string, 0, n)
	for word := range strings.FieldsSeq(v) {
		if len(words) == n {
			break
		}
		words = append(words, word)
	}
	return words
}

// isName reports whether the text may be somebody's name: up to four words of letters.
func isName(v string) bool {
	words := firstWords(v, 5)
	if len(words) == 0 || len(words) > 4 || utf8.RuneCountInString(v) > 60 {
		return false
	}
	for _, word := range words {
		letters := strings.TrimFunc(word, func(r rune) bool { return strings.ContainsRune(".-'’", r) })
		begins, _ := utf8.DecodeRuneInString(letters)
		if !unicode.IsUpper(begins) || strings.ContainsFunc(letters, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune("-'’.", r)
		}) {
			return false
		}
	}
	return true
}

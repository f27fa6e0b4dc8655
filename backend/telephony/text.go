package telephony

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxCallID bounds a platform's id of a call, in bytes.
	maxCallID = 200
	// maxRecording bounds a recording's address, in bytes.
	maxRecording = 2000
	// maxSeconds bounds the times of a call: a week.
	maxSeconds = 7 * 24 * 60 * 60
	// minDigits and maxDigits bound a number. The longest has 15 digits (E.164). The shortest are those of a company's
	// own exchange.
	minDigits, maxDigits = 3, 15
)

// punctuation is what people write between the digits of a number.
var punctuation = strings.NewReplacer(" ", "", "\u00a0", "", "(", "", ")", "", "-", "", "\u2011", "", ".", "").Replace

// digitsOf returns the digits of a number in international form, which may begin with a plus sign, two zeros or
// neither. It returns "" for anything else.
func digitsOf(text string) string {
	if len(text) > 64 {
		return ""
	}
	digits := punctuation(strings.TrimSpace(text))
	if plain, plus := strings.CutPrefix(digits, "+"); plus {
		digits = plain
	} else if plain, zeros := strings.CutPrefix(digits, "00"); zeros {
		digits = plain
	}
	if len(digits) < minDigits || len(digits) > maxDigits || strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) {
		return ""
	}
	return digits
}

// withheld are words that replace a caller's number that is not shown.
var withheld = regexp.MustCompile(`(?i)^(|anonymous|restricted|private|unknown|unavailable|withheld|hidden|\+?266696687|\+?7378742833|\+?2562533|\+?8656696|\+?86282452253)$`)

// callerOf returns the digits of the caller's number, or "" if it is withheld. readable is false if it is neither a
// number nor withheld.
func callerOf(text string) (digits string, readable bool) {
	text = strings.TrimSpace(text)
	if withheld.MatchString(text) {
		return "", true
	}
	digits = digitsOf(text)
	return digits, digits != ""
}

// recordingOf returns the address of a recording, or "" for one that a browser must not get.
func recordingOf(text string) string {
	if len(text) > maxRecording || !plain(text) {
		return ""
	}
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Hostname() == "" || address.User != nil {
		return ""
	}
	return address.String()
}

var (
	price    = regexp.MustCompile(`^-?[0-9]{1,12}(\.[0-9]{1,8})?$`)
	currency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// plain says whether the text is UTF-8 without control characters and without characters that change the direction of
// writing.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
}

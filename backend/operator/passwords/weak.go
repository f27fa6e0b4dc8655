package passwords

import (
	_ "embed"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

//go:generate go run ./build

// passwords.txt holds common passwords in lower case, sorted, one on a line: those of the ten thousand most common that are
// long enough with [FewSigns] more, and of some forty thousand more those that are long enough as they are.
//
//go:embed passwords.txt
var passwordsTxt string

var commonPasswords = sync.OnceValue(func() []string { return strings.Fields(passwordsTxt) })

// FewSigns is how many digits and signs around a common password leave it a common one.
const FewSigns = 4

// Why a password that is long enough is not accepted (ASVS 5.0, 6.2.4, 6.2.11; NIST SP 800-63B, 3.1.1.2).
var (
	ErrCommon = errors.New("this password is one of the most common ones, or one of them with a few signs around it")
	ErrOwn    = errors.New("this password is made of the login, the name or the name of this program, and digits")
	ErrPlain  = errors.New("this password repeats few signs, or follows the keyboard, the alphabet or the digits")
)

// programName is in the mind of everybody who makes an account.
const programName = "frontdesk"

// minOwnWord is the length in characters from which a word of the account counts.
const minOwnWord = 3

// weak returns why the password is easily guessed by those who know the words, which are the login and the name of its
// account, or nil. The writing of letters does not matter.
func weak(password string, words []string) error {
	password = folded(password)
	switch signs := []rune(password); {
	case isCommon(signs):
		return ErrCommon
	case repeats(signs), followsRows(signs):
		return ErrPlain
	case isOwn(password, words):
		return ErrOwn
	}
	return nil
}

func folded(text string) string { return strings.ToLower(norm.NFKC.String(text)) }

// isCommon tells whether the password is a common one with a few signs around it.
func isCommon(signs []rune) bool {
	around := func(r rune) bool { return !unicode.IsLetter(r) }
	for before := 0; before <= FewSigns && before < len(signs); before++ {
		for behind := 0; before+behind <= FewSigns && before+behind < len(signs); behind++ {
			if _, found := slices.BinarySearch(commonPasswords(), string(signs[before:len(signs)-behind])); found {
				return true
			}
			if !around(signs[len(signs)-1-behind]) {
				break
			}
		}
		if !around(signs[before]) {
			break
		}
	}
	return false
}

// maxRepeated is the longest part, in characters, that a password may not consist of repetitions of.
const maxRepeated = 4

func repeats(signs []rune) bool {
	for period := 1; period <= maxRepeated; period++ {
		same := true
		for i := period; i < len(signs) && same; i++ {
			same = signs[i] == signs[i-period]
		}
		if same {
			return true
		}
	}
	return false
}

// rows are what fingers and minds run along.
var rows = func() (both []string) {
	for _, row := range []string{
		"01234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "!@#$%^&*()_+", "abcdefghijklmnopqrstuvwxyz",
		"йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю.", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "абвгдежзийклмнопрстуфхцчшщъыьэюя",
	} {
		back := []rune(row)
		slices.Reverse(back)
		both = append(both, row, string(back))
	}
	return both
}()

// minRun is how many characters of a row are a run.
const minRun = 3

// followsRows tells whether the password consists of runs.
func followsRows(signs []rune) bool {
	for len(signs) > 0 {
		run := 0
		for _, row := range rows {
			run = max(run, runOf(row, signs))
		}
		if run < minRun {
			return false
		}
		signs = signs[run:]
	}
	return true
}

// runOf is how many of the first signs follow each other in the row.
func runOf(row string, signs []rune) (run int) {
	at := strings.IndexRune(row, signs[0])
	if at < 0 {
		return 0
	}
	for _, r := range row[at:] {
		if run == len(signs) || signs[run] != r {
			break
		}
		run++
	}
	return run
}

// isOwn tells whether the password has nothing but words of the account, digits and signs.
func isOwn(password string, words []string) bool {
	own := []string{programName}
	for _, text := range words {
		text = folded(text)
		parts := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, word := range append(parts, text) {
			if utf8.RuneCountInString(word) >= minOwnWord {
				own = append(own, word)
			}
		}
	}
	slices.SortFunc(own, func(a, b string) int { return len(b) - len(a) })
	rest := password
	for _, word := range own {
		rest = strings.ReplaceAll(rest, word, " ")
	}
	return rest != password && !strings.ContainsFunc(rest, unicode.IsLetter)
}

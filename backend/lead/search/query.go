package search

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

const (
	// MaxLength is how many characters a search has at most.
	MaxLength = 200
	// maxTerms is how many words of a search count.
	maxTerms = 12
)

// What is wrong with a search.
var (
	ErrLong  = errors.New("a search has at most 200 characters")
	ErrShort = errors.New("a search needs a word of two letters, or two digits")
)

// Query is what is looked for: each of its groups is met by one of the alternatives, and each of these by all its
// beginnings of words. The zero Query looks for nothing.
type Query [][][]string

// Read reads what an operator has typed. The error is ErrLong or ErrShort.
func Read(text string) (Query, error) {
	if utf8.RuneCountInString(text) > MaxLength {
		return nil, ErrLong
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	var q Query
	rest := dialled.ReplaceAllStringFunc(text, func(number string) string {
		digits := contact.Digits(number)
		if digits == number || len(digits) < leastPart { // one word like others
			return number
		}
		q = append(q, writings(number, digits))
		return " "
	})
	for _, word := range wordsOf(rest) {
		if utf8.RuneCountInString(word) < 2 && !unspaced(word) {
			continue
		}
		alternatives := [][]string{{word}}
		if strings.Trim(word, "0123456789") == "" {
			alternatives = writings(word, word)
		}
		q = append(q, alternatives)
	}
	if len(q) == 0 {
		return nil, ErrShort
	}
	return q[:min(len(q), maxTerms)], nil
}

// writings are what a number that somebody has typed may stand for: its digits in a row, without
// what is dialled before it within a country or to leave one, or the words as they are.
func writings(typed, digits string) [][]string {
	digits = digits[:min(len(digits), maxWord)]
	ways := [][]string{{digits}}
	if len(digits) >= 10 && (digits[0] == '8' || digits[0] == '0') {
		ways = append(ways, []string{strings.TrimPrefix(digits[1:], "0")})
	}
	var words []string
	for _, word := range wordsOf(typed) {
		if len(word) >= 2 {
			words = append(words, word)
		}
	}
	if len(words) > 1 && len(digits) < wholeDigits { // of a whole number, parts are in too many others
		ways = append(ways, words)
	}
	return ways
}

// all are the words of the search.
func (q Query) all() (words []string) {
	for _, alternatives := range q {
		words = append(words, slices.Concat(alternatives...)...)
	}
	return words
}

// write gives the search in an engine's language: each word by the form, and signs for both and either.
func (q Query) write(word func(string) string, and, or string) string {
	groups := make([]string, len(q))
	for i, alternatives := range q {
		ways := make([]string, len(alternatives))
		for j, words := range alternatives {
			all := make([]string, len(words))
			for k := range words {
				all[k] = word(words[k])
			}
			ways[j] = "(" + strings.Join(all, and) + ")"
		}
		groups[i] = "(" + strings.Join(ways, or) + ")"
	}
	return strings.Join(groups, and)
}

// FTS5 is the search as SQLite reads it, among the sites; none for all. from is asked which words there are.
func (q Query) FTS5(ctx context.Context, from db.Queries, sites []int64) (string, error) {
	known, err := q.known(ctx, from)
	if err != nil {
		return "", err
	}
	text := q.write(func(word string) string {
		if whole := known[word]; len(whole) > 0 {
			return `("` + strings.Join(whole, `" OR "`) + `")`
		}
		return `"` + word + `"*`
	}, " AND ", " OR ")
	if len(sites) == 0 {
		return text, nil
	}
	words := make([]string, len(sites))
	for i, id := range sites {
		words[i] = `"` + siteWord(id) + `"`
	}
	return "(" + strings.Join(words, " OR ") + ") AND " + text, nil
}

// TSQuery is the search as PostgreSQL reads it.
func (q Query) TSQuery() string {
	return q.write(func(word string) string { return `'` + word + `':*` }, " & ", " | ")
}

// SQLite keeps the leads of beginnings of up to four letters. Those of longer ones it gathers from all words that begin
// so, which takes long where one of these is in every lead. So the words are looked up, and each of a few is searched
// by itself.
const (
	keptBeginning = 4
	fewWords      = 40
)

// known are the words in leads that begin like those that are searched, by these, where they are few.
func (q Query) known(ctx context.Context, from db.Queries) (map[string][]string, error) {
	known := make(map[string][]string)
	for _, word := range q.all() {
		if utf8.RuneCountInString(word) <= keptBeginning || known[word] != nil {
			continue
		}
		// The index of words is entered anew behind each: all leads of one word stand in a row there.
		like, err := db.List(ctx, from, db.Only[string], `WITH RECURSIVE found(word, n) AS (
			SELECT (SELECT term FROM lead_words WHERE term >= $1 LIMIT 1), 1
			UNION ALL SELECT (SELECT term FROM lead_words WHERE term >= found.word || char(1) LIMIT 1), n + 1 FROM found
				WHERE substr(found.word, 1, length($1)) = $1 AND n <= $2)
			SELECT word FROM found WHERE substr(word, 1, length($1)) = $1`, word, fewWords)
		if err != nil {
			return nil, err
		}
		if len(like) <= fewWords {
			known[word] = like
		}
	}
	return known, nil
}

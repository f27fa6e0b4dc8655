package search

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// minHashed is the length of a text, in characters, that people do not write alike.
const minHashed = 30

// Hash is the hash of a message's beginning, as far as that is searched, without its white space and capitals; 0 for a
// message that is so short that others write the same.
func Hash(message string) int64 {
	if words := strings.Join(strings.Fields(strings.ToLower(clip.Text(message, MaxSearched))), " "); utf8.RuneCountInString(words) >= minHashed {
		return db.Hash(words)
	}
	return 0
}

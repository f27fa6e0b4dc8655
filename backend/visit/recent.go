package visit

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strconv"
)

// mark stands for the nonce of a view: whatever the nonce is, 20 hexadecimal
// digits.
type mark string

const markLength = 20

// markOf is the mark of the nonce. A view without one is told apart by its
// number.
func markOf(nonce string, number int64) mark {
	if nonce == "" {
		nonce = "\x00" + strconv.FormatInt(number, 10)
	}
	sum := sha256.Sum256([]byte(nonce))
	return mark(hex.EncodeToString(sum[:markLength/2]))
}

// hash spreads marks over the keys of writes.
func (m mark) hash() int64 {
	n, _ := strconv.ParseInt(string(m[:15]), 16, 64)
	return n
}

// recent are the last views of a session, the latest first: a mark and the
// number of the hit, in a fixed width, for each.
type recent string

const (
	// recentViews is how many views are remembered: as many as a live visit
	// shows, and as a visitor may open in other tabs before an early one is
	// reported again.
	recentViews = 8
	entryLength = markLength + 13
)

// entryOf is a view as recent holds it. A number of 52 bits has 13 digits.
func entryOf(m mark, hit int64) recent {
	digits := strconv.FormatInt(hit, 16)
	return recent(string(m) + "0000000000000"[len(digits):] + digits)
}

// hits are the numbers and marks of the hits, the latest first.
func (r recent) hits() iter.Seq2[int64, mark] {
	return func(yield func(int64, mark) bool) {
		for ; len(r) >= entryLength; r = r[entryLength:] {
			hit, err := strconv.ParseInt(string(r[markLength:entryLength]), 16, 64)
			if err != nil || !yield(hit, mark(r[:markLength])) {
				return
			}
		}
	}
}

// find is the number of the hit with the mark; 0 for none.
func (r recent) find(m mark) int64 {
	for hit, of := range r.hits() {
		if of == m {
			return hit
		}
	}
	return 0
}

package visit

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strconv"
)

// mark stands for the nonce of a view. It has 20 hexadecimal digits, whatever the nonce is.
type mark string

const markLength = 20

// markOf returns the mark of the nonce. For a view without a nonce, the number makes the mark unique.
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

// Recent holds the last views of a visit, the latest first. Each entry has a fixed width: a mark and the number of
// the view.
type Recent string

const (
	// recentViews is how many views are remembered. A live visit shows as many. A visitor may open as many in other
	// tabs before an early view is reported again.
	recentViews = 8
	entryLength = markLength + 13
)

// entryOf returns the entry of a view. A number of 52 bits has 13 hexadecimal digits.
func entryOf(m mark, view int64) Recent {
	digits := strconv.FormatInt(view, 16)
	return Recent(string(m) + "0000000000000"[len(digits):] + digits)
}

// view returns the number of the first entry's view, or 0.
func (r Recent) view() int64 {
	view, _ := strconv.ParseInt(string(r[markLength:entryLength]), 16, 64)
	return view
}

// Views returns the numbers of the views, the latest first.
func (r Recent) Views() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for ; len(r) >= entryLength && yield(r.view()); r = r[entryLength:] {
		}
	}
}

// find returns the number of the view with the mark, or 0.
func (r Recent) find(m mark) int64 {
	for ; len(r) >= entryLength; r = r[entryLength:] {
		if mark(r[:markLength]) == m {
			return r.view()
		}
	}
	return 0
}

// Package column writes columns of many rows in few bytes, and reads them back. A report reads the columns that it is
// about, and no other.
package column

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// MaxRows is how many rows a column may have.
const MaxRows = 1 << 20

// ErrBroken is the error of bytes that are no column.
var ErrBroken = errors.New("a column of a report is broken")

// Texts is a column of texts, most of which stand in it many times.
type Texts struct {
	// Values are the texts, each once, in the order in which they come first.
	Values []string
	// Rows are the places of the rows' texts in Values.
	Rows []uint32
}

// Add adds a row. places is the same map in all calls for the column, and empty in the first.
func (t *Texts) Add(text string, places map[string]uint32) {
	place, known := places[text]
	if !known {
		place = uint32(len(t.Values))
		places[text] = place
		t.Values = append(t.Values, text)
	}
	t.Rows = append(t.Rows, place)
}

// Append appends the column to the bytes: the texts, and their places with as many bits as the largest needs.
func (t Texts) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(t.Values)))
	for _, text := range t.Values {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Rows)))
	width := widthOf(len(t.Values))
	var held uint64
	var n int
	for _, place := range t.Rows {
		held |= uint64(place) << n
		for n += width; n >= 8; n -= 8 {
			b = append(b, byte(held))
			held >>= 8
		}
	}
	if n > 0 {
		b = append(b, byte(held))
	}
	return b
}

// widthOf is how many bits a place among so many texts has.
func widthOf(values int) int { return bits.Len(uint(max(values, 1) - 1)) }

// ReadTexts reads what Append has written. The texts are parts of b, which must not be changed any more. The error is
// [ErrBroken].
func ReadTexts(b []byte) (t Texts, err error) {
	r := reader{rest: b}
	t.Values = make([]string, r.length(min(len(b), MaxRows)))
	text := string(b)
	for i := range t.Values {
		n := r.length(len(r.rest))
		at := len(text) - len(r.rest)
		r.skip(n)
		if r.broken {
			return Texts{}, ErrBroken
		}
		t.Values[i] = text[at : at+n]
	}
	rows := r.length(MaxRows)
	width := widthOf(len(t.Values))
	if r.broken || rows > 0 && len(t.Values) == 0 || len(r.rest) != (rows*width+7)/8 {
		return Texts{}, ErrBroken
	}
	t.Rows = make([]uint32, rows)
	var held uint64
	var n int
	for i := range t.Rows {
		for ; n < width; n += 8 {
			held |= uint64(r.rest[0]) << n
			r.rest = r.rest[1:]
		}
		place := uint32(held & (1<<width - 1))
		if int(place) >= len(t.Values) {
			return Texts{}, ErrBroken
		}
		t.Rows[i] = place
		held, n = held>>width, n-width
	}
	return t, nil
}

// AppendNumbers appends a column of numbers to the bytes: each as its distance from the one before. So numbers that
// rise, or are small, take a byte or two.
func AppendNumbers(b []byte, numbers []int64) []byte {
	b = binary.AppendUvarint(b, uint64(len(numbers)))
	var before int64
	for _, n := range numbers {
		b = binary.AppendVarint(b, n-before)
		before = n
	}
	return b
}

// ReadNumbers reads what AppendNumbers has written. The error is [ErrBroken].
func ReadNumbers(b []byte) ([]int64, error) {
	r := reader{rest: b}
	numbers := make([]int64, r.length(min(len(b), MaxRows)))
	var before int64
	for i := range numbers {
		step, n := binary.Varint(r.rest)
		if n <= 0 {
			return nil, ErrBroken
		}
		r.rest = r.rest[n:]
		before += step
		numbers[i] = before
	}
	if r.broken || len(r.rest) > 0 {
		return nil, ErrBroken
	}
	return numbers, nil
}

// reader reads lengths. It is broken when there was none.
type reader struct {
	rest   []byte
	broken bool
}

// length reads a length of at most so much; 0 if it is broken.
func (r *reader) length(most int) int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(min(most, math.MaxInt32)) {
		r.broken = true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *reader) skip(n int) {
	if n > len(r.rest) {
		r.broken = true
		return
	}
	r.rest = r.rest[n:]
}

package phone

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
)

// plainText is prose with a digit here and there, as in pages.
func plainText(size, numbers int, cyrillic bool) []byte {
	prose := strings.Fields("the lamp on the table gives warm light (made of brass & glass) and costs less than you would think we deliver in 3 days to every town order before 18:00 since 1994")
	if cyrillic {
		prose = strings.Fields("лампа на столе даёт тёплый свет (латунь и стекло) и стоит меньше чем вы думаете доставим за 3 дня в любой город заказ до 18:00 с 1994 года")
	}
	writings := []string{"+7 (495) 123-45-67", "8 495 123 45 67", "8(495)1234567", "+74951234567", "8&nbsp;(495)&nbsp;123-45-67"}
	random := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	every := size + 1
	if numbers > 0 {
		every = size / numbers
	}
	next := every / 2
	for b.Len() < size {
		b.WriteString(prose[random.IntN(len(prose))])
		b.WriteByte(' ')
		if b.Len() > next {
			b.WriteString(writings[random.IntN(len(writings))])
			b.WriteString(". ")
			next += every
		}
	}
	return b.Bytes()
}

func benchSet(b *testing.B, n int) *replacing {
	var numbers []pair
	for i := range n {
		numbers = append(numbers, pair{fmt.Sprint(74951234567 + i), fmt.Sprint(74957654321 + i)})
	}
	s, err := compilePairs(numbers)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

const megabyte = 1 << 20

func BenchmarkText(b *testing.B) {
	for _, script := range []string{"latin", "cyrillic"} {
		for _, perMegabyte := range []int{0, 20, 2000} {
			text := plainText(megabyte, perMegabyte, script == "cyrillic")
			for _, configured := range []int{1, 3, 100} {
				b.Run(fmt.Sprintf("%s/found=%d/configured=%d", script, perMegabyte, configured), func(b *testing.B) {
					m := benchSet(b, configured).NewMatcher(char.UTF8)
					b.SetBytes(int64(len(text)))
					b.ReportAllocs()
					found := 0
					read := func() {
						m.Reset(Text)
						found = 0
						for at := 0; at < len(text); at += 32 << 10 {
							found += len(m.Text(int64(at), text[at:min(at+32<<10, len(text))]))
						}
						found += len(m.Break())
					}
					read() // the buffers grow
					for b.Loop() {
						read()
					}
					if perMegabyte > 0 && found < perMegabyte*9/10 {
						b.Fatalf("found %d of %d", found, perMegabyte)
					}
				})
			}
		}
	}
}

// BenchmarkPieces reads text as a scanner does: a few words between two tags.
func BenchmarkPieces(b *testing.B) {
	for _, least := range []int{16, 64, 256} {
		b.Run(fmt.Sprint(least), func(b *testing.B) {
			text := plainText(megabyte, 20, false)
			b.SetBytes(int64(len(text)))
			var pieces [][]byte
			for len(text) > 0 {
				n := min(least, len(text))
				for n < len(text) && text[n] != ' ' {
					n++
				}
				pieces = append(pieces, text[:n])
				text = text[n:]
			}
			m := benchSet(b, 3).NewMatcher(char.UTF8)
			b.ReportAllocs()
			for b.Loop() {
				m.Reset(Text)
				at := int64(0)
				for _, p := range pieces {
					m.Text(at, p)
					m.Inline()
					at += int64(len(p)) + 3
				}
			}
		})
	}
}

// The lower limits: copying, and a look at every byte.
func BenchmarkCopy(b *testing.B) {
	text := plainText(megabyte, 20, false)
	to := make([]byte, len(text))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		copy(to, text)
	}
}

func BenchmarkByteLoop(b *testing.B) {
	text := plainText(megabyte, 20, false)
	b.SetBytes(int64(len(text)))
	n := 0
	for b.Loop() {
		for _, c := range text {
			if c == '<' {
				n++
			}
		}
	}
	if n > 0 {
		b.Fatal("the text has no markup")
	}
}

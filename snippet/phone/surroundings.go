package phone

import (
	"unicode"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
)

// tail is the end of the text that has been read. A NUL stands for markup. Only the last maxTail bytes matter.
type tail struct {
	bytes [8 * maxTail]byte
	size  int
}

// before is the text before a run: at most the last maxTail bytes.
type before struct {
	bytes [maxTail]byte
	size  int
}

// maxTail is how many bytes before a number are searched for a sign that it is none.
const maxTail = 40

func (t *tail) add(b []byte) {
	if len(b) >= maxTail {
		t.size = copy(t.bytes[:], b[len(b)-maxTail:])
		return
	}
	if t.size+len(b) > len(t.bytes) {
		t.size = copy(t.bytes[:], t.last())
	}
	t.size += copy(t.bytes[t.size:], b)
}

func (t *tail) mark() {
	if t.size == len(t.bytes) {
		t.size = copy(t.bytes[:], t.last())
	}
	if t.size == 0 || t.bytes[t.size-1] != 0 {
		t.bytes[t.size] = 0
		t.size++
	}
}

func (t *tail) last() []byte { return t.bytes[max(0, t.size-maxTail):t.size] }

// take keeps the bytes before b[i]. t holds the text before b.
func (l *before) take(t *tail, b []byte, i int) {
	l.size = 0
	if i < maxTail {
		old := t.last()
		l.size = copy(l.bytes[:], old[max(0, len(old)+i-maxTail):])
	}
	l.size += copy(l.bytes[l.size:], b[max(0, i-maxTail):i])
}

// frees says whether the text before the writing lets it be a number.
func (l *before) frees(c *char.Charset, kind ValueKind, w *writing) bool {
	if w.plus {
		return true
	}
	b := l.bytes[:l.size]
	r, size := c.LastRune(b, kind == Data)
	if size == 0 {
		return true
	}
	if r != 0 && !w.open {
		switch {
		case char.IsGlue(r), r == '=', r == '@', r == '\\':
			return false
		case r == '-', r == '/':
			if w.slug() {
				return false
			}
		}
	}
	// Look past spaces, a colon and markup for a word or sign of another figure.
	for range 4 {
		k, _, _ := char.Classify(r)
		if r != 0 && k != char.Space && k != char.Colon && k != char.Hidden {
			break
		}
		b = b[:len(b)-size]
		if r, size = c.LastRune(b, kind == Data); size == 0 {
			return true
		}
	}
	switch {
	case !w.bare():
		return true
	case r == '#', r == '№', char.IsCurrency(r):
		return false
	}
	var word [maxWord]rune
	n := len(word)
	for n > 0 && char.IsGlue(r) {
		n--
		word[n] = unicode.ToLower(r)
		b = b[:len(b)-size]
		if r, size = c.LastRune(b, kind == Data); size == 0 {
			break
		}
	}
	if n == 0 {
		return true
	}
	return !otherNames[string(word[n:])]
}

// maxWord is one more than the letters of the longest word below.
const maxWord = 8

// Words that say what the figure beside them is, in lower case.
const (
	// These stand before a figure that is no telephone number.
	otherNameWords = "инн кпп огрн огрнип бик окпо снилс заказ заказа счет счёт арт артикул order invoice id isbn issn ean gtin sku vat iban " +
		"nip regon pesel siret siren cif nif ico ičo dič cnpj cpf"
	// These stand behind a price.
	currencyWords = "р руб рубль рубля рублей rub rur usd eur euro euros gbp chf uah грн kzt тг тенге byn pln zł czk kč kr sek nok dkk inr rs " +
		"jpy cny aed brl"
	// These stand before a further number, which is dialled afterwards.
	extensionWords = "x ext доб вн int poste ramal"
)

var otherNames, currencies, extensions = setOf(otherNameWords), setOf(currencyWords), setOf(extensionWords)

// after is the text behind a run of digits.
type after struct {
	gap   gap
	char  rune
	ended bool // a character ended the run, and not the end of a block
	word  [maxWord]rune
	size  int
}

func (a *after) begin(r rune) {
	a.word[0] = unicode.ToLower(r)
	a.size = 1
}

// add adds a letter to the word. It returns false if the word has ended.
func (a *after) add(t char.Token) bool {
	if t.Kind != char.Other || !char.IsGlue(t.Char) || a.size == maxWord {
		return false
	}
	a.word[a.size] = unicode.ToLower(t.Char)
	a.size++
	return true
}

// frees says whether the text behind the writing lets it be a number.
func (a *after) frees(w *writing) bool {
	if !a.ended {
		return true
	}
	glued := a.gap&(seen|tagGap) == 0
	if a.size == 0 {
		switch {
		case glued && (a.char == '@' || a.char == '=' || a.char == '\\'):
			return false
		case char.IsCurrency(a.char) && a.gap&^(spaceGap|tagGap|hiddenGap) == 0:
			return !w.bare()
		}
		return true
	}
	word := a.word[:a.size]
	switch {
	case glued:
		return extensions[string(word)]
	case a.gap&^(spaceGap|tagGap|hiddenGap) == 0:
		return !w.bare() || !currencies[string(word)]
	case a.gap&(seen|tagGap) == dashGap:
		return !w.slug()
	case a.gap&(seen|tagGap) == dotGap:
		return w.plus || !w.compact()
	}
	return true
}

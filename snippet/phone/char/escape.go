package char

// ReadPercent reads a percent-encoded character of a link. It knows ASCII, and the no-break space in UTF-8.
func ReadPercent(b []byte, last bool) Token {
	alone := Token{Kind: Other, Size: 1, Char: '%'}
	const nonBreaking = "%C2%A0"
	for i := 1; i < 3; i++ {
		if i == len(b) {
			if last {
				return alone
			}
			return Incomplete
		}
		if d, _ := hexDigit(b[i]); d < 0 {
			return alone
		}
	}
	high, _ := hexDigit(b[1])
	low, _ := hexDigit(b[2])
	r := high<<4 | low
	if r < 0x80 {
		t := TokenOf(r, 3)
		t.Pen.mode = percentEscape
		return t
	}
	for i := 1; i < len(nonBreaking); i++ {
		switch {
		case i == len(b) && !last:
			return Incomplete
		case i == len(b), upperCase(b[i]) != nonBreaking[i]:
			return alone
		}
	}
	return TokenOf(0xA0, len(nonBreaking))
}

// maxBackslashes is how many backslashes may lead an escape. A string inside of a string doubles its backslashes.
const maxBackslashes = 4

// ReadStringEscape reads an escape of a string in JSON or a script: \u with four digits, or a single letter or sign.
// Several backslashes mean the same as one.
func ReadStringEscape(b []byte, last bool) Token {
	n := 0
	for n < len(b) && n < maxBackslashes && b[n] == '\\' {
		n++
	}
	alone := Token{Kind: Other, Size: uint8(n), Char: '\\'}
	if n == len(b) {
		if last {
			return alone
		}
		return Incomplete
	}
	switch b[n] {
	case 'b', 'f', 'n', 'r', 't':
		return Token{Kind: Space, Size: uint8(n + 1), Char: ' '}
	case '"', '\'':
		return Token{Kind: Other, Size: uint8(n + 1), Char: rune(b[n])}
	case '/':
		return Token{Kind: Slash, Size: uint8(n + 1), Char: '/'}
	case 'u':
	default:
		return alone
	}
	r, mode := rune(0), stringEscape
	for i := n + 1; i < n+5; i++ {
		if i == len(b) {
			if last {
				return alone
			}
			return Incomplete
		}
		d, upper := hexDigit(b[i])
		if d < 0 {
			return alone
		}
		if upper {
			mode = upperStringEscape
		}
		r = r<<4 | d
	}
	t := TokenOf(r, n+5)
	t.Pen.mode, t.Pen.width = mode, uint8(n)
	return t
}

// lastEscape reads the escape at the end of b. size is 0 if b does not end with one.
func lastEscape(b []byte) (r rune, size int) {
	for _, i := range [...]int{len(b) - 2, len(b) - 6} {
		if i < 0 || b[i] != '\\' {
			continue
		}
		for i > 0 && b[i-1] == '\\' && len(b)-i < maxBackslashes+5 {
			i--
		}
		if t := ReadStringEscape(b[i:], true); int(t.Size) == len(b)-i {
			return t.Char, int(t.Size)
		}
	}
	return 0, 0
}

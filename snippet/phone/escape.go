package phone

// readPercent reads a percent-encoded character of a link. It knows ASCII, and the no-break space in UTF-8.
func readPercent(b []byte, last bool) token {
	alone := token{kind: other, size: 1, char: '%'}
	const nonBreaking = "%C2%A0"
	for i := 1; i < 3; i++ {
		if i == len(b) {
			if last {
				return alone
			}
			return incomplete
		}
		if d, _ := hexDigit(b[i]); d < 0 {
			return alone
		}
	}
	high, _ := hexDigit(b[1])
	low, _ := hexDigit(b[2])
	r := high<<4 | low
	if r < 0x80 {
		t := tokenOf(r, 3)
		t.pen.mode = percentEscape
		return t
	}
	for i := 1; i < len(nonBreaking); i++ {
		switch {
		case i == len(b) && !last:
			return incomplete
		case i == len(b), upperCase(b[i]) != nonBreaking[i]:
			return alone
		}
	}
	return tokenOf(0xA0, len(nonBreaking))
}

// maxBackslashes is how many backslashes may lead an escape. A string inside of a string doubles its backslashes.
const maxBackslashes = 4

// readStringEscape reads an escape of a string in JSON or a script: \u with four digits, or a single letter or sign.
// Several backslashes mean the same as one.
func readStringEscape(b []byte, last bool) token {
	n := 0
	for n < len(b) && n < maxBackslashes && b[n] == '\\' {
		n++
	}
	alone := token{kind: other, size: uint8(n), char: '\\'}
	if n == len(b) {
		if last {
			return alone
		}
		return incomplete
	}
	switch b[n] {
	case 'b', 'f', 'n', 'r', 't':
		return token{kind: space, size: uint8(n + 1), char: ' '}
	case '"', '\'':
		return token{kind: other, size: uint8(n + 1), char: rune(b[n])}
	case '/':
		return token{kind: slash, size: uint8(n + 1), char: '/'}
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
			return incomplete
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
	t := tokenOf(r, n+5)
	t.pen.mode, t.pen.width = mode, uint8(n)
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
		if t := readStringEscape(b[i:], true); int(t.size) == len(b)-i {
			return t.char, int(t.size)
		}
	}
	return 0, 0
}

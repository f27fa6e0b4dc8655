package token

// IsSpace says whether a byte is white space of HTML.
func IsSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// IsLetter says whether a byte is an ASCII letter.
func IsLetter(c byte) bool {
	c |= 0x20
	return 'a' <= c && c <= 'z'
}

// Lower returns an ASCII letter in lower case, and any other byte as it is.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// EndsName says whether a byte ends the name of a tag.
func EndsName(c byte) bool { return IsSpace(c) || c == '/' || c == '>' }

// HasPrefixFold says whether b begins with the prefix, which is in lower case. The letters of b may be in upper case.
func HasPrefixFold(b []byte, prefix string) bool {
	if len(b) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if Lower(b[i]) != prefix[i] {
			return false
		}
	}
	return true
}

package pattern

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzPattern compares patterns with regular expressions of the same meaning.
func FuzzPattern(f *testing.F) {
	for _, seed := range [][2]string{{"news*", "newsletter"}, {"*", ""}, {"a*a", "a"}, {"*.google.*", "www.google.com"}, {"a**b*", "acb"}, {"*ab*b", "abab"}, {"\xff*", "\xffя"}, {"", "a"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, written, text string) {
		p := New(written)
		require.Equal(t, written, p.String())
		parts := strings.Split(written, "*")
		for i, part := range parts {
			parts[i] = regexp.QuoteMeta(ascii(part))
		}
		require.Equal(t, regexp.MustCompile(`(?s)^`+strings.Join(parts, ".*")+`$`).MatchString(ascii(text)), p.Matches(text))
	})
}

// ascii writes bytes as letters, since regular expressions match characters and patterns match bytes.
func ascii(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte('a' + s[i]>>4)
		b.WriteByte('A' + s[i]&15)
	}
	return b.String()
}

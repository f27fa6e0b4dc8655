package relay

import (
	"net/textproto"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// The documentation names every field.
func TestRelayedFieldsAreDocumented(t *testing.T) {
	content, err := os.ReadFile("../../docs/elsewhere.md")
	require.NoError(t, err)
	documented := regexp.MustCompile("`([A-Za-z-]+)(\\*?)`").FindAllStringSubmatch(string(content), -1)
	for _, name := range slices.Concat(relayedFields, answeredFields) {
		require.Equal(t, textproto.CanonicalMIMEHeaderKey(name), name)
		require.True(t, slices.ContainsFunc(documented, func(field []string) bool {
			known := textproto.CanonicalMIMEHeaderKey(field[1])
			return known == name || field[2] != "" && strings.HasPrefix(name, known)
		}), name)
	}
}

// FuzzPlainPath holds that a plain path means one thing, however often it is decoded or cleaned.
func FuzzPlainPath(f *testing.F) {
	for _, seed := range []string{"v1/hit", "vc/s/", "", "..", "v1/../x", "v1/%2e%2e", "v1//x", "v1/\\x", "v1/\x00", "v1/a;b", "...", "v1/..."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		plain := false
		stepstest.Hold(t, len(rest), func() { plain = isPlainPath(rest) })
		if !plain {
			return
		}
		const inner = "/inner/"
		address := url.URL{Scheme: "http", Host: "inner.example", Path: inner + rest}
		require.Equal(t, inner+rest, address.EscapedPath())
		again, err := url.Parse(address.String())
		require.NoError(t, err)
		require.Equal(t, inner+rest, again.Path)
		require.Equal(t, strings.TrimSuffix(inner+rest, "/"), path.Clean(inner+rest))
		decoded, err := url.PathUnescape(rest)
		require.NoError(t, err)
		require.Equal(t, rest, decoded)
	})
}

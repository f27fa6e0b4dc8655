package caddymodule

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

func TestNameOfAConfiguration(t *testing.T) {
	for _, name := range []string{"edge", "edge-1.example", "рынок_1"} {
		resolved, err := resolveName(name, "postgres")
		require.NoError(t, err)
		require.Equal(t, name, resolved)
	}
	t.Setenv("TEST_NODE_NAME", "edge")
	resolved, err := resolveName("{env.TEST_NODE_NAME}", "sqlite")
	require.NoError(t, err)
	require.Equal(t, "edge", resolved)
	host, err := os.Hostname()
	require.NoError(t, err)
	resolved, err = resolveName("", "postgres")
	require.NoError(t, err)
	require.Equal(t, host, resolved)
	resolved, err = resolveName("", "sqlite")
	require.NoError(t, err)
	require.Empty(t, resolved)
	for _, wrong := range []string{"two words", "a/b", strings.Repeat("a", 65), "{env.TEST_NO_SUCH_NAME}"} {
		_, err := resolveName(wrong, "postgres")
		require.ErrorContains(t, err, "name: ", wrong)
	}
}

// TestRulesAgree holds the rules of what is stored and of what pages and script take
// together: each stands where it is needed, and neither place may know of the other.
func TestRulesAgree(t *testing.T) {
	var values []string
	for b := range 256 {
		values = append(values, string([]byte{byte(b)}), string([]byte{'a', byte(b), 'z'}), string(rune(b)))
	}
	for _, value := range append(values, "", "yes*", "__Host-c", "я") {
		for _, consent := range []site.Consent{{Cookie: value}, {Cookie: "cookies", Value: value}, {Value: value}} {
			script := snippet.ScriptSettings{
				Objects: [2]string{"Svc", "SvcWidget"}, Variant: "A", ConsentCookie: consent.Cookie, ConsentValue: consent.Value,
			}.Check()
			require.Equal(t, script == nil, consent.Check() == nil, "%q: %v", consent, script)
		}
		for _, mask := range []string{value, "#" + value, strings.Repeat("#", 63) + value} {
			page := snippet.CheckPhoneMask(mask)
			require.Equal(t, page == nil, site.CheckPhoneMask(mask) == nil, "%q: %v", mask, page)
		}
	}
}

package effect

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// hidden hides the service's cookies in these fields.
func hidden(t testing.TB, fields ...string) []string {
	h := http.Header{"Cookie": fields}
	saved := HideCookies(h)
	if saved != nil {
		require.Equal(t, fields, saved)
	}
	if _, there := h["Cookie"]; !there {
		return nil
	}
	return h["Cookie"]
}

func TestOwnCookiesAreTakenOut(t *testing.T) {
	for _, c := range []struct{ field, rest string }{
		{"a=1; svc_v=x; b=2", "a=1; b=2"},
		{"svc_v=x; a=1;b=2", "a=1;b=2"},
		{"a=1;  svc_src=x", "a=1"},
		{"__Host-svc_v=x; __Host-svc_src=y; svc_v=z;  a=\"1 2\";b", "a=\"1 2\";b"},
		{" a = 1 ;svc_v=x ; b=2;", " a = 1 ; b=2;"},
		{"svc_vv=1; xsvc_v=2; a=svc_v=3; svc_v; SVC_V=4; __Host-a=svc_src=1", "svc_vv=1; xsvc_v=2; a=svc_v=3; svc_v; SVC_V=4; __Host-a=svc_src=1"},
		{"", ""},
	} {
		require.Equal(t, []string{c.rest}, hidden(t, c.field))
	}
	require.Nil(t, hidden(t, "svc_v=x"))
	require.Nil(t, hidden(t, "__Host-svc_v=x; svc_src=y;"))
	require.Equal(t, []string{"a=1", "b=2"}, hidden(t, "a=1", "svc_src=x", "b=2; svc_v=y"))
}

// FuzzOwnCookies checks that any other bytes of a field stay as they are.
func FuzzOwnCookies(f *testing.F) {
	for _, field := range []string{"a=1; svc_v=x; b=2", "__Host-svc_src=1;;a", ";svc_v=;", "svc_v=1\tsvc_v=2; svc_v =3", " svc_src=1;svc_src=2"} {
		f.Add(field)
	}
	f.Fuzz(func(t *testing.T, field string) {
		others := func(field string) (pairs []string) {
			for pair := range strings.SplitSeq(field, ";") {
				if !isOwnCookie(pair) {
					pairs = append(pairs, strings.Trim(pair, " \t"))
				}
			}
			return pairs
		}
		var got []string
		stepstest.Hold(t, len(field), func() { got = hidden(t, field) })
		for _, c := range ownCookies {
			for range c.Values(http.Header{"Cookie": got}, false) {
				t.Fatal("a cookie of ours is left")
			}
		}
		if !hasOwnCookie(field) {
			require.Equal(t, []string{field}, got)
		} else if got != nil {
			require.Equal(t, others(field), others(got[0]))
			require.True(t, strings.HasPrefix(field, got[0][:strings.IndexByte(got[0]+";", ';')]) || !strings.HasPrefix(got[0], " "), "others stand as they were written")
		} else {
			require.Empty(t, strings.Trim(strings.Join(others(field), ""), " \t"))
		}
	})
}

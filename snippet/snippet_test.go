package snippet

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForms(t *testing.T) {
	on := true
	c, err := New(Settings{SiteKey: "key", Prefix: "/a/b/", DynamicalReplacement: &on, PhoneMask: "+7 (###) ###-##-##"})
	require.NoError(t, err)
	require.Equal(t, `<script nonce="n">var __cs=__cs||[];__cs.push(["setCsAccount","key"]);`+
		`__cs.push(["setDynamicalReplacement",true]);__cs.push(["setUIPhoneMaskFormat","+7 (###) ###-##-##"]);</script>`+
		`<script nonce="n" async src="/a/b/svc.js"></script>`,
		string(c.AppendTo(nil, Form{inline: true, nonce: "n"})))
	require.Equal(t, `<script type="application/json" data-svc>{"queue":[["setCsAccount","key"],`+
		`["setDynamicalReplacement",true],["setUIPhoneMaskFormat","+7 (###) ###-##-##"]]}</script>`+
		`<script async src="//h/a/b/svc.js"></script>`,
		string(c.AppendTo(nil, Form{host: "h"})))
}

func TestValuesAreHarmlessASCII(t *testing.T) {
	shown := "</script><!--&\"\\'\u2028\u2029я😀"
	hostile := shown + "\x00\x7f"
	c, err := New(Settings{SiteKey: hostile, Prefix: "/a/", PhoneMask: "#" + shown})
	require.NoError(t, err)
	require.NotContains(t, c.queue, "<")
	require.NotContains(t, c.queue, "&")
	require.False(t, strings.ContainsFunc(c.queue, func(r rune) bool { return r < ' ' || r > '~' }))
	var data struct{ Queue [][]any }
	require.NoError(t, json.Unmarshal([]byte(c.queue), &data))
	require.Equal(t, [][]any{{"setCsAccount", hostile}, {"setUIPhoneMaskFormat", "#" + shown}}, data.Queue)
}

func TestHashIsThatOfTheCode(t *testing.T) {
	hashes := make(map[string]bool)
	off := false
	for _, s := range []Settings{
		{SiteKey: "a", Prefix: "/a/"}, {SiteKey: "b", Prefix: "/a/"}, {SiteKey: "a", Prefix: "/b/"},
		{SiteKey: "a", Prefix: "/a/", PhoneMask: "#"}, {SiteKey: "a", Prefix: "/a/", DynamicalReplacement: &off},
	} {
		c, err := New(s)
		require.NoError(t, err)
		again, err := New(s)
		require.NoError(t, err)
		require.Equal(t, c.Mark(&Shown{}), again.Mark(&Shown{}))
		require.Regexp(t, "^[0-9a-f]{10}$", c.Mark(&Shown{}))
		hashes[c.Mark(&Shown{})] = true
	}
	require.Len(t, hashes, 5)
}

func TestSettingsAreChecked(t *testing.T) {
	for _, prefix := range []string{
		"", "a", "/", "/a", "a/", "//", "/a&b/", "//a/", "/a//b/", "/../", "/a/./", `/a"/`, "/a?b/", "/a#/", `/\a/`, "/a b/", "/я/", "/%2e/", "/<a>/",
		"/" + strings.Repeat("a", 300) + "/",
	} {
		_, err := New(Settings{SiteKey: "a", Prefix: prefix})
		require.ErrorContains(t, err, "prefix", prefix)
	}
	for _, s := range []Settings{
		{Prefix: "/a/"}, {SiteKey: "\xff", Prefix: "/a/"},
	} {
		_, err := New(s)
		require.ErrorContains(t, err, "site key")
	}
	for _, mask := range []string{"\xff#", "#\n", "7", strings.Repeat("#", 200)} {
		_, err := New(Settings{SiteKey: "a", Prefix: "/a/", PhoneMask: mask})
		require.ErrorContains(t, err, "phone mask")
	}
}

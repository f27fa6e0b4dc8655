package attribution_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestCookie(t *testing.T) {
	for _, source := range []source.Source{
		{Kind: source.Direct},
		{Kind: source.Direct, Landing: "/lamps"},
		{Kind: source.Campaign, Source: "s", Medium: "m", Campaign: "c", Term: "t", Content: "рассылка", ClickIDName: "yclid", ClickID: "17", Referrer: "yandex.ru", Landing: "/"},
	} {
		r := &attribution.Remembered{Source: source, Seen: time.Unix(1775044800, 0)}
		require.Regexp(t, `^[A-Za-z0-9_-]+$`, r.Cookie())
		read, err := attribution.ParseCookie(r.Cookie())
		require.NoError(t, err)
		require.Equal(t, r, read)
	}
}

func TestCookieIsShort(t *testing.T) {
	long := strings.Repeat("я", 100)
	r := &attribution.Remembered{Seen: time.Unix(1775044800, 0), Source: source.Source{
		Kind: source.Campaign, Source: long, Medium: long, Campaign: long, Term: long, Content: long, ClickIDName: "yclid", ClickID: long, Referrer: long, Landing: long,
	}}
	require.LessOrEqual(t, len(r.Cookie()), 1024)
	read, err := attribution.ParseCookie(r.Cookie())
	require.NoError(t, err)
	require.Equal(t, r.Seen, read.Seen)
	require.True(t, strings.HasPrefix(long, read.Source.Term))
	require.Greater(t, len(read.Source.Term), 80)
	require.Equal(t, "yclid", read.Source.ClickIDName)
}

func TestCookieRefused(t *testing.T) {
	encoded := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	right := "\x01\x01\x06direct\x00\x00\x00\x00\x00\x00\x00\x00\x01/"
	_, err := attribution.ParseCookie(encoded(right))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"empty":             "",
		"no base64":         "utm_source=news",
		"padded":            base64.URLEncoding.EncodeToString([]byte(right[:len(right)-1]+"/")) + "=",
		"of the future":     encoded("\x02" + right[1:]),
		"cut":               encoded(right[:len(right)-1]),
		"with a tail":       encoded(right + "\x00"),
		"of no kind":        encoded(strings.Replace(right, "direct", "dirwct", 1)),
		"a length too long": encoded("\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
		"time too long":     encoded("\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f" + right[2:]),
		"no text":           encoded("\x01\x01\x06direct\x01\xff\x00\x00\x00\x00\x00\x00\x00\x00"),
		"an unknown id":     encoded("\x01\x01\x02ad\x00\x00\x00\x00\x00\x01x\x01x\x00\x00"),
		"an id of no name":  encoded("\x01\x01\x02ad\x00\x00\x00\x00\x00\x00\x01x\x00\x00"),
		"too long":          encoded(strings.Repeat(right, 100)),
	} {
		_, err := attribution.ParseCookie(value)
		require.Error(t, err, name)
	}
}

// A value that can be read can be written, and is read as the same again.
func FuzzParseCookie(f *testing.F) {
	for _, source := range []source.Source{
		{Kind: source.Direct, Landing: "/"}, {Kind: source.Campaign, Source: "news"}, {Kind: source.Ad, ClickIDName: "gclid", ClickID: "x", Referrer: "www.google.com"},
	} {
		f.Add((&attribution.Remembered{Source: source, Seen: time.Unix(1775044800, 0)}).Cookie())
	}
	f.Add("")
	f.Add("AQE")
	f.Add("AQH_____________AQ")
	f.Fuzz(func(t *testing.T, value string) {
		var read *attribution.Remembered
		var err error
		stepstest.Hold(t, len(value), func() { read, err = attribution.ParseCookie(value) })
		if err != nil {
			return
		}
		again, err := attribution.ParseCookie(read.Cookie())
		require.NoError(t, err)
		require.Equal(t, read, again)
		require.LessOrEqual(t, len(read.Cookie()), 1024)
		p := plan(t, "utm_source=a*b", "referrer=*.google.*", "landing=/*x*", "gclid", "kind=direct")
		for _, a := range []attribution.Model{attribution.First, attribution.Last, attribution.LastNonDirect} {
			_, next, _ := a.Follow(p, read, attribution.Page{Source: source.Source{Kind: source.Direct}, At: time.Unix(1775044800, 0)})
			require.NotNil(t, next)
		}
	})
}

package leads

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func FuzzIdentifier(f *testing.F) {
	for _, seed := range []string{"1", "0", "-1", "9007199254740991", "9007199254740992", "+5", "05", "1e3", "0x10", "", " 1", "1_000", "\u0661"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var id visit.ID
		var err error
		stepstest.Hold(t, len(text), func() { id, err = identifier("hit_id", []string{text}) })
		if err == nil {
			require.Positive(t, id)
			require.Less(t, int64(id), int64(1)<<53)
			require.Equal(t, strings.TrimLeft(strings.TrimPrefix(text, "+"), "0"), strings.TrimLeft(strconv.FormatInt(int64(id), 10), "0"))
		}
		if view.CheckID("id", text) == nil {
			require.Equal(t, text, url.PathEscape(text))
			require.LessOrEqual(t, len(text), 64)
		}
	})
}

// weighed reads the fields of a server's call, and holds that to its price. Each pair has a place among the fields, and
// each text of a charset a buffer.
func weighed(t *testing.T, content, charset string) (form url.Values, err error) {
	t.Helper()
	stepstest.Hold(t, len(content), func() { form, err = parseForm(content, charset) })
	return form, err
}

// The dearest fields that anybody may send.
func TestPriceOfFields(t *testing.T) {
	var names strings.Builder
	for i := range maxPairs - 1 {
		names.WriteString(strconv.Itoa(i) + "&")
	}
	for called, content := range map[string]string{
		"ampersands": strings.Repeat("&", maxServerBody), "one name": strings.Repeat("a&", maxPairs-1), "names": names.String(),
		"percents": strings.Repeat("%zz=%&", maxPairs), "a long value": "a=" + strings.Repeat("%D0", maxServerBody/3),
	} {
		for _, charset := range []string{"", "windows-1251", "utf-16le", "iso-2022-jp"} {
			t.Run(called+" "+charset, func(t *testing.T) { weighed(t, content, charset) })
		}
	}
}

func FuzzParseForm(f *testing.F) {
	for _, seed := range [][2]string{
		{"name=Ann&text=%D0%B0;b", "UTF-8"}, {"name=%CE%EB%FF", "windows-1251"}, {"a=%FF", ""}, {"a=%00", ""}, {"%zz", ""},
		{"a=%1B%24B", "iso-2022-jp"}, {"a=%00a", "utf-16le"}, {"a=b", "replacement"}, {"a=b", "x-user-defined"}, {"a=%81", "shift_jis"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, content, charset string) {
		form, err := weighed(t, content, charset)
		if err != nil {
			return
		}
		for name, values := range form {
			for _, text := range append(values, name) {
				require.True(t, utf8.ValidString(text))
				require.NotContains(t, text, "\x00")
			}
		}
	})
}

package number_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

const (
	printed  = "74951234567"
	tracking = "74957654321"
)

// plan returns a plan of one number, with a tracking number for each line of conditions: 1, 2, 3…
func plan(t testing.TB, lines ...string) *number.Plan {
	t.Helper()
	p := new(number.Plan)
	require.NoError(t, p.Add(printed))
	for i, line := range lines {
		when, err := number.ParseConditions(strings.Fields(line))
		require.NoError(t, err, line)
		require.NoError(t, p.AddStatic(string(rune('1'+i)), when), line)
	}
	return p
}

// shown returns the number that a source is shown, or "".
func shown(p *number.Plan, s source.Source) string { return p.Shown(p.Choose(s))[0] }

func TestConditions(t *testing.T) {
	const shop = "https://shop.example"
	for _, c := range []struct {
		conditions, page, referrer string
		hold                       bool
	}{
		{"utm_source=news", "/?utm_source=news", "", true},
		{"utm_source=news", "/?utm_source=NEWS", "", true},
		{"utm_source=NEWS", "/?utm_source=news", "", true},
		{"UTM_SOURCE=news", "/?utm_source=news", "", true},
		{"utm_source=news", "/?utm_source=newsletter", "", false},
		{"utm_source=news*", "/?utm_source=newsletter", "", true},
		{"utm_source=news*", "/?utm_source=news", "", true},
		{"utm_source=*letter", "/?utm_source=newsletter", "", true},
		{"utm_source=n*l*r", "/?utm_source=newsletter", "", true},
		{"utm_source=n*n*r", "/?utm_source=newsletter", "", false},
		{"utm_source=new*wsletter", "/?utm_source=newsletter", "", false},
		{"utm_source=*", "/?utm_source=x", "", true},
		{"utm_source=*", "/?utm_campaign=x", "", false},
		{"utm_source=*", "/", "https://www.google.com/", false},
		{"utm_source=google", "/", "https://www.google.com/", false},
		{"utm_source=google", "/?utm_campaign=x", "https://www.google.com/", true}, // as the visits have it
		{"utm_source=РАССЫЛКА", "/?utm_source=%D1%80%D0%B0%D1%81%D1%81%D1%8B%D0%BB%D0%BA%D0%B0", "", true},
		{"utm_medium=cpc", "/?utm_medium=cpc", "", true},
		{"utm_campaign=spring*", "/?utm_campaign=spring-26", "", true},
		{"utm_term=lamp", "/?utm_term=lamp", "", true},
		{"utm_content=gid|17", "/?utm_content=gid%7C17", "", true},
		{"utm_source=news utm_medium=mail", "/?utm_source=news&utm_medium=mail", "", true},
		{"utm_source=news utm_medium=mail", "/?utm_source=news&utm_medium=cpc", "", false},
		{"utm_source=news utm_medium=mail", "/?utm_source=blog&utm_medium=mail", "", false},
		{"utm_source=news utm_source=blog", "/?utm_source=blog", "", true},
		{"utm_source=news utm_medium=mail utm_source=blog", "/?utm_source=blog&utm_medium=mail", "", true},
		{"utm_source=news utm_medium=mail utm_source=blog", "/?utm_source=blog&utm_medium=cpc", "", false},

		{"gclid", "/?gclid=Cj0K", "", true},
		{"gclid=*", "/?gclid=Cj0K", "", true},
		{"gclid=cj*", "/?gclid=Cj0K", "", true},
		{"gclid=x*", "/?gclid=Cj0K", "", false},
		{"gclid", "/?yclid=17", "", false},
		{"yclid", "/?yclid=17&utm_source=yandex", "", true},
		{"gclid yclid", "/?yclid=17", "", true},
		{"click_id", "/?yclid=17", "", true},
		{"click_id=1*", "/?yclid=17", "", true},
		{"click_id", "/?utm_source=news", "", false},
		{"sccid", "/?ScCid=17", "", true},

		{"referrer=google.com", "/", "https://google.com/", true},
		{"referrer=google.com", "/", "https://www.google.com/search", true},
		{"referrer=www.google.com", "/", "https://google.com/", true},
		{"referrer=google.com", "/", "https://docs.google.com/", false},
		{"referrer=google.com", "/", "https://notgoogle.com/", false},
		{"referrer=*.google.*", "/", "https://google.com/", true},
		{"referrer=*.google.*", "/", "https://www.google.co.uk/", true},
		{"referrer=*.google.*", "/", "https://mail.google.com/", true},
		{"referrer=*.google.*", "/", "https://notgoogle.com/", false},
		{"referrer=google.*", "/", "https://mail.google.com/", false},
		{"referrer=*google.com", "/", "https://notgoogle.com/", true},
		{"referrer=*", "/", "https://blog.example/", true},
		{"referrer=*", "/", "", false},
		{"referrer=*", "/", shop + "/lamps", false},
		{"referrer=Blog.Example", "/", "https://blog.example:8443/", true},
		{"referrer=www.www.google.com", "/", "https://www.www.google.com/", true},
		{"referrer=ｗｗｗ.google.com", "/", "https://www.google.com/", true},
		{"referrer=лампы.рф", "/", "https://www.лампы.рф/", true},
		{"referrer=*.лампы.рф", "/", "https://xn--80avem4d.xn--p1ai/", true},

		{"landing=/lamps", "/lamps", "", true},
		{"landing=/lamps", "/lamps/", "", false},
		{"landing=/lamps*", "/lamps/birch", "", true},
		{"landing=/Lamps*", "/lamps/birch", "https://google.com/", true},
		{"landing=*birch", "/lamps/birch?utm_source=news", "", true},
		{"landing=/лампы*", "/%D0%9B%D0%B0%D0%BC%D0%BF%D1%8B/1", "", true},
		{"landing=/%D0%BB%D0%B0%D0%BC%D0%BF%D1%8B*", "/лампы/1", "", true},
		{"landing=/лампы*", "/" + strings.Repeat("лампы", 30), "", true}, // cut within an escape

		{"kind=campaign", "/?utm_source=news", "", true},
		{"kind=ad", "/?gclid=x", "", true},
		{"kind=search", "/", "https://google.com/", true},
		{"kind=Search", "/?ysclid=x", "", true},
		{"kind=search kind=social", "/", "https://vk.com/", true},
		{"kind=mail", "/", "https://mail.google.com/", true},
		{"kind=map", "/", "https://maps.google.com/", true},
		{"kind=referral", "/", "https://blog.example/", true},
		{"kind=referral referrer=*.example", "/", "https://blog.example/", true},
		{"kind=direct", "/", "", true},
		{"kind=direct landing=/lamps*", "/lamps/", "", true},
		{"kind=direct landing=/lamps*", "/lamps/", "https://google.com/", false},
		{"kind=direct", "/", "https://google.com/", false},

		{"", "/", "", true},
		{"", "/?utm_source=news", "", true},
	} {
		p := plan(t, c.conditions)
		require.Equal(t, c.hold, shown(p, source.Of(shop+c.page, c.referrer, source.Own{})) == "1", "%s: %s from %s", c.conditions, c.page, c.referrer)
		require.Equal(t, c.conditions == "", shown(p, source.Source{}) == "1", "nothing is known of a visitor: %s", c.conditions)
	}
}

func TestConditionsRefused(t *testing.T) {
	for conditions, reason := range map[string]string{
		"utm_sorce=news":                       `condition "utm_sorce=news": expected utm_source, utm_medium`,
		"news":                                 `condition "news": expected utm_source`,
		"=news":                                `expected utm_source`,
		"utm_source":                           "expected utm_source=VALUE",
		"utm_source=":                          "expected utm_source=VALUE",
		"gclid=":                               "expected gclid=VALUE",
		"referrer=":                            "expected referrer=VALUE",
		"utm_term=" + strings.Repeat("x", 201): "expected at most 200 bytes",
		"kind=paid":                            "expected one of direct, campaign, ad",
		"kind=*":                               "expected one of direct",
		"landing=lamps":                        "expected a path",
		"landing=https://shop.example/":        "expected a path",
		"landing=/lamps?x":                     "expected a path",
		"referrer=https://google.com":          "expected a host without scheme",
		"referrer=google.com/search":           "expected a host without scheme",
		"referrer=google.com:443":              "expected a host without scheme",
		"referrer=google..com":                 "expected a host",
		"referrer=www.":                        "expected a host",
		"referrer=лам*.рф":                     "expected no *",
		"kind=direct gclid":                    "no visit has all of them",
		"kind=direct referrer=google.com":      "no visit has all of them",
		"kind=search utm_source=news":          "no visit has all of them",

		"referrer=a" + strings.Repeat(".я", 60): "expected at most 200 bytes",
	} {
		_, err := number.ParseConditions(strings.Fields(conditions))
		require.ErrorContains(t, err, reason, conditions)
	}
}

// The text of conditions is read as the same conditions again. No pattern is slow.
func FuzzConditions(f *testing.F) {
	for _, seed := range [][2]string{
		{"utm_source=news*", "https://shop.example/?utm_source=newsletter"}, {"gclid", "/?gclid=x"}, {"referrer=*.google.*", "/"}, {"landing=/%d0*", "/%d0%"},
		{"utm_term=" + strings.Repeat("*a", 90), "/?utm_term=" + strings.Repeat("a", 89) + "b"}, {"kind=direct", "/"}, {"referrer=*.лампы.рф", "//\xff"}, {"utm_source=\xff*", "/?utm_source=%ff"},
		{"landing=/%3f", "/"}, {"landing=/%2525", "/"}, {"landing=/a%25", "/"}, {"landing=/" + strings.Repeat("%zz", 66), "/"}, {"referrer=www.www.a", "/"}, {"referrer=ｗｗｗ.a", "/"},
	} {
		f.Add(seed[0], seed[1], "https://www.google.com/")
	}
	f.Fuzz(func(t *testing.T, word, page, referrer string) {
		when, err := number.ParseConditions([]string{word})
		if err != nil {
			return
		}
		again, err := number.ParseConditions([]string{when.String()})
		require.NoError(t, err)
		require.Equal(t, when.String(), again.String())
		p := new(number.Plan)
		require.NoError(t, p.Add(printed))
		require.NoError(t, p.AddStatic(tracking, when))
		source := source.Of(page, referrer, source.Own{})
		var choice number.Choice
		stepstest.Hold(t, len(word)+len(page)+len(referrer), func() { choice = p.Choose(source) })
		require.Equal(t, choice, p.Choose(source))
		require.Len(t, p.Shown(choice), 1)
	})
}

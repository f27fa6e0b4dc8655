package number_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

func TestFirstLineThatHolds(t *testing.T) {
	p := plan(t, "utm_source=news utm_medium=mail", "utm_source=news*", "gclid", "")
	for page, want := range map[string]string{
		"/?utm_source=news&utm_medium=mail": "1",
		"/?utm_source=news":                 "2",
		"/?utm_source=news&gclid=x":         "2",
		"/?gclid=x":                         "3",
		"/":                                 "4",
	} {
		require.Equal(t, want, shown(p, source.Of("https://shop.example"+page, "", source.Own{})), page)
	}
	require.True(t, p.BySource())
}

func TestNumbersAreChosenEachForItself(t *testing.T) {
	p := new(number.Plan)
	require.NoError(t, p.Add("1"))
	require.NoError(t, p.AddStatic("11", conditions(t, "utm_source=news")))
	require.NoError(t, p.Add("2"))
	require.NoError(t, p.Add("3"))
	require.NoError(t, p.AddStatic("31", conditions(t, "utm_source=*")))
	news := p.Choose(source.Source{Kind: source.Campaign, Source: "news"})
	require.Equal(t, []string{"11", "", "31"}, p.Shown(news))
	blog := p.Choose(source.Source{Kind: source.Campaign, Source: "blog"})
	require.Equal(t, []string{"", "", "31"}, p.Shown(blog))
	require.NotEqual(t, news, blog)
	require.Equal(t, number.Choice(""), p.Choose(source.Source{Kind: source.Direct, Landing: "/"}))
	require.Equal(t, []string{"", "", ""}, p.Shown(""))
}

func TestManyTrackingNumbers(t *testing.T) {
	p := new(number.Plan)
	require.NoError(t, p.Add(printed))
	for i := range 1000 { // more than fit into a byte
		require.NoError(t, p.AddStatic(fmt.Sprint(i), conditions(t, fmt.Sprint("utm_source=", i))))
	}
	require.ErrorContains(t, p.AddStatic("1000", nil), "at most 1000")
	require.Equal(t, "999", shown(p, source.Source{Kind: source.Campaign, Source: "999"}))
}

func TestPlanRefuses(t *testing.T) {
	news, blog := conditions(t, "utm_source=news"), conditions(t, "utm_source=blog")
	for reason, add := range map[string]func(p *number.Plan) error{
		"is given already: expected it once":                func(p *number.Plan) error { return p.Add("1") },
		"number 11 is a tracking number for 1":              func(p *number.Plan) error { return p.Add("11") },
		"static 2 is the number itself":                     func(p *number.Plan) error { return p.AddStatic("2", blog) },
		"static 1 is a printed number":                      func(p *number.Plan) error { return p.AddStatic("1", blog) },
		"static 11 is given already, for 1":                 func(p *number.Plan) error { return p.AddStatic("11", blog) },
		"static 21 is given already, for 2":                 func(p *number.Plan) error { return p.AddStatic("21", blog) },
		"static 22 is never shown: static 21 before it has": func(p *number.Plan) error { return p.AddStatic("22", conditions(t, "utm_source=NEWS utm_source=news")) },
		"static 23 is never shown: static 22 before it is": func(p *number.Plan) error {
			require.NoError(t, p.AddStatic("22", nil))
			return p.AddStatic("23", blog)
		},
	} {
		p := new(number.Plan)
		require.NoError(t, p.Add("1"))
		require.NoError(t, p.AddStatic("11", news))
		require.NoError(t, p.Add("2"))
		require.NoError(t, p.AddStatic("21", news))
		require.ErrorContains(t, add(p), reason)
	}
}

func TestLinesThatAreNeverReached(t *testing.T) {
	for _, pair := range [][2]string{
		{"utm_source=news", "utm_source=news utm_medium=mail"},
		{"utm_source=*", "utm_source=news"},
		{"utm_source=n*w*", "utm_source=new*s"},
		{"utm_source=a utm_source=b", "utm_source=b"},
		{"click_id", "gclid yclid"},
		{"gclid", "gclid=x*"},
		{"referrer=*.google.*", "referrer=google.com referrer=maps.google.*"},
		{"landing=/lamps*", "landing=/lamps/arc.html kind=direct"},
		{"kind=campaign kind=ad", "utm_source=news"},
		{"kind=ad kind=search kind=campaign kind=social kind=mail kind=map kind=referral", "referrer=blog.example"},
	} {
		require.ErrorContains(t, second(t, pair[0], pair[1]), "static 2 is never shown: static 1 before it is for all these visitors", pair)
		require.NoError(t, second(t, pair[1], pair[0]), pair)
	}
	for _, pair := range [][2]string{
		{"utm_source=news utm_medium=mail", "utm_source=news utm_medium=*"},
		{"utm_source=new*", "utm_source=ne*"},
		{"gclid", "yclid"},
		{"gclid", "click_id"},
		{"referrer=google.com", "referrer=*.google.com"},
		{"kind=ad", "gclid"}, // with utm parameters, the source is a campaign
		{"kind=search", "referrer=google.com"},
	} {
		require.NoError(t, second(t, pair[0], pair[1]), pair)
	}
}

// No line is refused that a visit could reach.
func TestLinesThatAreReached(t *testing.T) {
	lines := []string{
		"utm_source=news", "utm_source=n*", "utm_source=*s*", "utm_source=news utm_medium=mail", "utm_medium=mail", "gclid", "gclid=x", "click_id", "yclid gclid",
		"referrer=google.com", "referrer=*.google.*", "landing=/lamps*", "landing=*", "kind=campaign", "kind=ad kind=search", "kind=direct", "kind=search referrer=*.google.*",
	}
	var visits []source.Source
	for _, page := range []string{"/", "/lamps/", "/?utm_source=news", "/lamps/?utm_source=news&utm_medium=mail", "/?utm_medium=mail&gclid=x", "/?gclid=x", "/?yclid=y", "/?utm_source=nas*"} {
		for _, referrer := range []string{"", "https://www.google.com/", "https://maps.google.de/", "https://blog.example/"} {
			visits = append(visits, source.Of("https://shop.example"+page, referrer, source.Own{}))
		}
	}
	for _, first := range lines {
		for _, then := range lines {
			if second(t, first, then) == nil {
				continue
			}
			for _, v := range visits {
				if shown(plan(t, then), v) != "" {
					require.NotEmpty(t, shown(plan(t, first), v), "%q before %q, for %+v", first, then, v)
				}
			}
		}
	}
}

// second adds two tracking numbers and returns the error of the second one.
func second(t *testing.T, first, then string) error {
	t.Helper()
	p := plan(t, first)
	return p.AddStatic("2", conditions(t, then))
}

func TestWithoutConditionsPagesAreTheSameForAll(t *testing.T) {
	p := plan(t, "")
	require.True(t, p.HasStatic())
	require.False(t, p.BySource())
	require.False(t, plan(t).HasStatic())
	require.Equal(t, "1", shown(p, source.Source{}))
}

func conditions(t testing.TB, line string) number.Conditions {
	t.Helper()
	when, err := number.ParseConditions(strings.Fields(line))
	require.NoError(t, err)
	return when
}

package console_test

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// asked is a question of docs/reports.md.
type asked struct{ question, way, where string }

var askedRow = regexp.MustCompile(`(?m)^\| ([^|]+\?) \| ([^|]+) \| ([^|]+) \|$`)

// marketersAsk are the questions of the page of documentation.
func marketersAsk(t *testing.T) (all []asked) {
	t.Helper()
	text, err := os.ReadFile("../../docs/reports.md")
	require.NoError(t, err)
	for _, row := range askedRow.FindAllStringSubmatch(string(text), -1) {
		all = append(all, asked{row[1], row[2], row[3]})
	}
	return all
}

// spelt is what the element says, with single blanks.
func spelt(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }

// says keeps the elements that say the words.
func says(all *goquery.Selection, words string) *goquery.Selection {
	return all.FilterFunction(func(_ int, s *goquery.Selection) bool { return spelt(s) == words })
}

// step is one click of a way: a link, a row, a number, or a choice in the form.
var step = regexp.MustCompile("^(?:(?P<number>the number of )?\\*(?P<label>[^*]+)\\*(?:: \\*(?P<option>[^*]+)\\*)?|`(?P<row>[^`]+)`)$")

// goes is the address to which the step leads from the page.
func goes(t *testing.T, page *goquery.Document, how string) string {
	t.Helper()
	parts := step.FindStringSubmatch(how)
	require.NotNil(t, parts, "no step: %s", how)
	number, label, option, row := parts[1] != "", parts[2], parts[3], parts[4]
	main := page.Find("main")
	var link *goquery.Selection
	switch {
	case option != "":
		return chosen(t, main.Find("form.asked-for"), label, option)
	case number:
		link = says(main.Find(".tiles dt"), label).Parent().Find("dd a")
	case row != "":
		link = says(main.Find(".report tbody th a"), row)
	default:
		link = says(main.Find("a"), label)
	}
	require.NotZero(t, link.Length(), "nothing to click: %s", how)
	return link.First().AttrOr("href", "")
}

// chosen is the address to which the form is sent, with the option of the field that has the label.
func chosen(t *testing.T, form *goquery.Selection, label, option string) string {
	t.Helper()
	of := says(form.Find("label"), label)
	require.Equal(t, 1, of.Length(), "no field %s", label)
	query, set := make(url.Values), false
	form.Find("input[name]").Each(func(_ int, s *goquery.Selection) { query.Add(s.AttrOr("name", ""), s.AttrOr("value", "")) })
	form.Find("select").Each(func(_ int, s *goquery.Selection) {
		is := s.Find("option[selected]")
		if s.AttrOr("id", "") == of.AttrOr("for", "") {
			is = says(s.Find("option"), option)
			require.Equal(t, 1, is.Length(), "no option %s of %s", option, label)
			set = true
		}
		if is.Length() == 0 {
			is = s.Find("option").First()
		}
		query.Set(s.AttrOr("name", ""), is.AttrOr("value", ""))
	})
	require.True(t, set, label)
	return form.AttrOr("action", "") + "?" + query.Encode()
}

var (
	figureOf = regexp.MustCompile(`^\*([^*]+)\*`)
	rowOf    = regexp.MustCompile("of `([^`]+)`")
)

// saysSomething tells whether the figure is not nothing.
func saysSomething(figure *goquery.Selection) bool {
	return strings.ContainsAny(spelt(figure), "123456789")
}

// answers holds the page to what the question's answer is said to be.
func answers(t *testing.T, page *goquery.Document, where string) {
	t.Helper()
	main := page.Find("main")
	if where == "the list" {
		require.NotZero(t, main.Find(".behind > li").Length(), "no rows")
		return
	}
	name := figureOf.FindStringSubmatch(where)
	require.NotNil(t, name, where)
	heads := main.Find(".report thead th")
	column := slices.Index(heads.Map(func(_ int, th *goquery.Selection) string { return spelt(th) }), name[1])
	cells := main.Find(".report tbody tr").Map(func(_ int, tr *goquery.Selection) string { return spelt(tr.Children().Eq(column)) })
	tile := says(main.Find(".tiles dt"), name[1]).Parent().Find("dd")
	switch {
	case strings.Contains(where, "with the change"):
		require.True(t, saysSomething(tile.Find("[data-figure]")), "no %s", name[1])
		require.Equal(t, 1, tile.Find(".change").Length(), "no change")
	case strings.Contains(where, "the most first"):
		require.GreaterOrEqual(t, column, 0, "no column %s", name[1])
		require.Equal(t, "descending", heads.Eq(column).AttrOr("aria-sort", ""))
		require.Regexp(t, `[1-9]`, cells[0])
	case rowOf.MatchString(where):
		require.GreaterOrEqual(t, column, 0, "no column %s", name[1])
		row := rowOf.FindStringSubmatch(where)[1]
		of := says(main.Find(".report tbody th"), row).Parent()
		require.Equal(t, 1, of.Length(), "no row %s", row)
		require.Regexp(t, `[1-9]`, spelt(of.Children().Eq(column)))
	case tile.Length() == 1:
		require.True(t, saysSomething(tile.Find("[data-figure]")), "no %s", name[1])
	default:
		require.GreaterOrEqual(t, column, 0, "no column %s", name[1])
		require.Regexp(t, `[1-9]`, strings.Join(cells, " "))
	}
}

// advertised is what came of a letter in October, and of an advertisement today: a call and a sale.
func (d *desk) advertised() {
	d.t.Helper()
	at := func(query string) visit.View { return d.hit(visit.Arrival{URL: "https://shop.example/lamps?" + query}) }
	const month = 35 * 24 * time.Hour
	d.pass(-month)
	d.lead(at("utm_source=newsletter&utm_medium=email&utm_campaign=october"), map[string]any{"name": "Reader", "phone": "8 912 000-50-01"})
	d.pass(month)
	clicked := at("utm_source=yandex&utm_medium=cpc&utm_campaign=desk-lamps&utm_term=desk+lamp")
	d.lead(clicked, map[string]any{"name": "Clicker", "phone": "8 912 000-50-02", "is_sale": true, "sale_cost": "700"})
	d.pass(time.Minute)
	d.rings("clicker", "79120005002", telephony.Answered, "")
	d.pass(time.Minute)
	require.NoError(d.t, d.keeper.Keep(d.t.Context()))
}

// The documentation answers twenty questions, each by three clicks at most, and the pages have what it says.
func TestMarketersFindTheirAnswers(t *testing.T) {
	all := marketersAsk(t)
	require.Len(t, all, 20)
	d := lampShop(t, 1500)
	d.advertised()
	b := d.signedIn("vera")
	for _, a := range all {
		t.Run(a.question, func(t *testing.T) {
			b.t = t
			page := b.get("/overview").document(t)
			steps := strings.Split(a.way, " → ")
			require.LessOrEqual(t, len(steps), 3)
			for _, how := range steps {
				page = b.get(goes(t, page, how)).document(t)
			}
			answers(t, page, a.where)
		})
	}
}

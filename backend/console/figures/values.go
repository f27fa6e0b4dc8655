package figures

import (
	"regexp"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/report"
)

// Names writes values of dimensions.
type Names struct {
	Words *words.Tongue
	// Operators and Groups are by their ids, as decimal digits.
	Operators, Groups map[string]string
	// Outside is for readers without an account. Of pages, keywords and forms they are not shown what may be a telephone number.
	// Sources and campaigns are what the site's owner has called them.
	Outside bool
}

// digits are seven digits or more, such as those of a telephone number or an order.
var digits = regexp.MustCompile(`\+?\d(?:[ ().-]?\d){6,}`)

// Of is the value of the dimension as people read it.
func (n Names) Of(d report.Dimension, value string) string {
	w := n.Words
	switch {
	case value == report.Unknown:
		return w.Text("value.unknown")
	case value == report.Rest:
		return w.Text("value.rest")
	case value == "" && d == report.Source:
		return w.Text("channel.direct")
	case value == "":
		return w.Text("value.none")
	}
	switch d {
	case report.Channel:
		return w.Text("channel." + value)
	case report.Kind:
		return w.Text("inquiry." + value)
	case report.Device:
		return w.Text("devices." + value)
	case report.Weekday:
		return w.Text("weekday." + value)
	case report.Hour:
		return value + ":00"
	case report.Number:
		return words.Unbroken(words.Phone(value, ""))
	case report.Operator:
		return named(n.Operators, value)
	case report.Group:
		return named(n.Groups, value)
	case report.Referrer:
		return words.Host(value)
	case report.Language:
		return w.LanguageOf(value)
	case report.Country:
		if region, err := language.ParseRegion(value); err == nil {
			return display.Regions(language.MustParse(w.Code)).Name(region)
		}
	}
	if n.Outside && (d == report.Landing || d == report.Page || d == report.Keyword || d == report.Form) {
		return digits.ReplaceAllString(value, "…")
	}
	return value
}

func named(names map[string]string, id string) string {
	if name := strings.TrimSpace(names[id]); name != "" {
		return name
	}
	return "№ " + id
}

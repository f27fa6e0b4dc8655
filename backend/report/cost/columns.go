package cost

import (
	"strings"

	"golang.org/x/text/currency"

	"github.com/seed-3405227d/frontdesk/backend/sheet"
)

// heads are what the platforms and people write above the columns, in small letters and without what is in brackets.
var heads = map[string][]string{
	"day":         {"day", "date", "gregorian date", "timeperiod", "time period", "день", "дата"},
	"from":        {"reporting starts", "начало отчетности", "дата начала отчетности"},
	"until":       {"reporting ends", "окончание отчетности", "дата окончания отчетности"},
	"campaign":    {"campaign", "campaign name", "campaignname", "utm_campaign", "кампания", "название кампании", "имя кампании"},
	"amount":      {"cost", "spend", "spent", "amount spent", "расход", "расходы", "расход всего", "стоимость", "затраты", "потраченная сумма", "сумма затрат"},
	"clicks":      {"clicks", "link clicks", "клики", "клики по ссылке"},
	"impressions": {"impressions", "impr.", "impr", "показы"},
	"currency":    {"currency", "currency code", "currencycode", "валюта", "код валюты"},
}

// columns are where the columns stand; -1 for one that is missing. until is the last day of a line that is of the days
// since day.
type columns struct {
	day, until, campaign, amount  int
	clicks, impressions, currency int
	// said is the currency that the head of the costs names.
	said string
	// platform is the one whose heads they are.
	platform Platform
}

// columnsOf reads a line as the heads of the columns. found is false if it is not that.
func columnsOf(cells []string) (c columns, found bool) {
	places := make(map[string]int, len(heads))
	for place, cell := range cells {
		head, aside := headOf(cell)
		for name, words := range heads {
			for _, word := range words {
				if _, known := places[name]; word != head || known {
					continue
				}
				places[name] = place
				if name == "amount" {
					c.said = currencyIn(aside)
				}
			}
		}
	}
	c.platform = platformOf(cells)
	at := func(name string) int {
		if place, known := places[name]; known {
			return place
		}
		return -1
	}
	c.day, c.until, c.campaign, c.amount = at("day"), -1, at("campaign"), at("amount")
	if c.day < 0 {
		c.day, c.until = at("from"), at("until")
	}
	c.clicks, c.impressions, c.currency = at("clicks"), at("impressions"), at("currency")
	return c, c.day >= 0 && c.campaign >= 0 && c.amount >= 0
}

// headOf divides a head such as "Расход (руб.)" or "Cost, USD".
func headOf(cell string) (head, aside string) {
	head = strings.ToLower(sheet.Clean(cell))
	if end := strings.IndexAny(head, "(,"); end >= 0 {
		head, aside = head[:end], strings.Trim(head[end:], "(), ")
	}
	return strings.TrimSpace(head), aside
}

// signsOf are the currencies that are written otherwise than by their code.
var signsOf = map[string]string{"руб": "RUB", "руб.": "RUB", "р.": "RUB", "₽": "RUB", "$": "USD", "€": "EUR", "£": "GBP", "₴": "UAH", "₸": "KZT", "₹": "INR"}

// currencyIn is the currency of a code or a sign; empty for another text.
func currencyIn(text string) string {
	if code, known := signsOf[text]; known {
		return code
	}
	if unit, err := currency.ParseISO(text); err == nil {
		return unit.String()
	}
	return ""
}

// line takes the cells of the columns.
func (c columns) line(cells []string) line {
	cell := func(place int) string {
		if place < 0 || place >= len(cells) {
			return ""
		}
		return sheet.Clean(cells[place])
	}
	return line{
		day: cell(c.day), until: cell(c.until), campaign: cell(c.campaign), amount: cell(c.amount),
		clicks: cell(c.clicks), impressions: cell(c.impressions), currency: strings.ToLower(cell(c.currency)),
	}
}

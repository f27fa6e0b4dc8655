package roster

import (
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/sheet"
)

// heads are what services and people write above the columns, in small letters.
var heads = map[string][]string{
	"number": {"number", "phone", "phone number", "tracking number", "virtual number", "virtual phone", "номер", "номер телефона", "телефон", "виртуальный номер",
		"подменный номер", "номер подмены"},
	"printed": {"printed number", "replaces", "replaced number", "original number", "number on the site", "подменяемый номер", "заменяемый номер", "исходный номер", "номер на сайте"},
	"name":    {"name", "title", "label", "advertising campaign", "название", "имя", "рекламная кампания", "кампания"},
	"pool":    {"pool", "pool name", "number pool", "пул", "имя пула", "название пула", "пул номеров"},
	// The conditions are by their fields; others stand under the fields' own names.
	"utm_source":   {"source", "источник"},
	"utm_medium":   {"medium", "канал"},
	"utm_campaign": {"campaign"},
	"referrer":     {"referer", "реферер"},
	"landing":      {"landing page", "страница входа"},
}

// columns are where the columns stand; -1 for one that is missing.
type columns struct {
	number, printed, name, pool int
	conditions                  []condition
}

// condition is a column of the values of a field of sources.
type condition struct {
	place int
	field string
}

// columnsOf reads a line as the heads of the columns. found is false if it is not that.
func columnsOf(cells []string) (c *columns, found bool) {
	fields := number.Fields()
	at := func(name string) int {
		return slices.IndexFunc(cells, func(cell string) bool {
			head := strings.ToLower(sheet.Clean(cell))
			return head == name && (slices.Contains(fields, name)) || slices.Contains(heads[name], head)
		})
	}
	c = &columns{number: at("number"), printed: at("printed"), name: at("name"), pool: at("pool")}
	for _, field := range fields {
		if place := at(field); place >= 0 {
			c.conditions = append(c.conditions, condition{place, field})
		}
	}
	return c, c.number >= 0
}

func (c *columns) cell(cells []string, place int) string {
	if place < 0 || place >= len(cells) {
		return ""
	}
	return strings.TrimPrefix(sheet.Clean(cells[place]), "'") // which tables have in front of what begins like a formula
}

func (c *columns) isBlank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return sheet.Clean(cell) != "" })
}

// latin are the letters of Russian in Latin ones.
var latin = strings.NewReplacer("а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ё", "e", "ж", "zh", "з", "z", "и", "i", "й", "y", "к", "k", "л", "l", "м", "m",
	"н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "kh", "ц", "ts", "ч", "ch", "ш", "sh", "щ", "shch", "ъ", "", "ы", "y", "ь", "", "э", "e",
	"ю", "yu", "я", "ya")

// poolName makes the name of a pool of how a table calls it: small letters, digits and hyphens. It is empty if there are
// no letters in it that can be written so.
func poolName(title string) string {
	words := strings.FieldsFunc(latin.Replace(strings.ToLower(title)), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	name := strings.TrimLeft(strings.Join(words, "-"), "0123456789-")
	return strings.TrimRight(name[:min(len(name), 64)], "-")
}

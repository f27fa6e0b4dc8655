package page

import (
	"fmt"
	"html"
	"strings"
)

// Number is a number that is printed on the pages, and one to take its place:
// digits in international form.
type Number struct{ Digits, Replacement string }

// Numbers gives n different numbers, at least three. The pages hold only the first
// three.
func Numbers(n int) []Number {
	numbers := []Number{{"74951234567", "74957654321"}, {"78123334455", "78125556677"}, {"442079460018", "442079460777"}}
	for i := len(numbers); i < n; i++ {
		numbers = append(numbers, Number{fmt.Sprint(74952000000 + 7919*i), fmt.Sprint(74993000000 + 7919*i)})
	}
	return numbers[:n]
}

// Written is one usual writing of each number on the pages, and of what takes its
// place: what a rewriter that knows only fixed strings can be told.
var Written = [3][2]string{
	{"+7 (495) 123-45-67", "+7 (495) 765-43-21"},
	{"+7 (812) 333-44-55", "+7 (812) 555-66-77"},
	{"+44 20 7946 0018", "+44 20 7946 0777"},
}

// printed are the numbers on the pages as people write them.
var printed = [3]struct{ digits, international, home string }{
	{"74951234567", Written[0][0], "8 (495) 123-45-67"},
	{"78123334455", Written[1][0], "8 (812) 333-44-55"},
	{"442079460018", Written[2][0], "020 7946 0018"},
}

// writings make of the two usual writings what else is found on the web.
var writings = []func(international, home string) string{
	func(s, _ string) string { return s },
	func(s, _ string) string { return s },
	func(_, s string) string { return s },
	func(_, s string) string { return s },
	func(s, _ string) string { return strings.ReplaceAll(s, " ", "&nbsp;") },
	func(_, s string) string { return strings.ReplaceAll(s, " ", "\u00a0") },
	func(s, _ string) string { return strings.NewReplacer(" ", "&#160;", "-", "&#8209;").Replace(s) },
	func(s, _ string) string { return strings.NewReplacer(" ", "\u2009", "-", "\u2011").Replace(s) },
	func(s, _ string) string { return strings.NewReplacer(" ", "", "(", "", ")", "", "-", "").Replace(s) },
	func(s, _ string) string { return strings.NewReplacer(" ", ".", "(", "", ")", "", "-", ".").Replace(s) },
	func(s, _ string) string { // full-width digits
		return strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return r - '0' + 0xFF10
			}
			return r
		}, s)
	},
	func(s, _ string) string { // the last digit by its code
		return fmt.Sprintf("%s&#x%x;", s[:len(s)-1], s[len(s)-1])
	},
	func(_, s string) string { // in two pieces
		code, rest, _ := strings.Cut(s, " ")
		return fmt.Sprintf("<span class=\"code\">%s</span> <b>%s</b>", code, rest)
	},
}

// contact writes one number, or the same in a link and as its text. The numbers take
// turns, and so do the places where they stand.
func (m *maker) contact() {
	n := printed[m.contacts%len(printed)]
	kind := m.contacts / len(printed) % 8
	m.contacts++
	text := writings[m.random.IntN(len(writings))](n.international, n.home)
	switch {
	case kind%3 == 0 && m.Numbers-m.written >= 2:
		m.printf("<li class=\"contact\"><a class=\"tel\" href=\"tel:+%s\">%s</a></li>\n", n.digits, text)
		m.written += 2
		return
	case kind == 2:
		m.printf("<a class=\"wa\" href=\"https://wa.me/%s\">WhatsApp</a>\n", n.digits)
	case kind == 5:
		m.printf("<img src=\"/images/phone.svg\" width=\"24\" height=\"24\" alt=\"%s\">\n", html.EscapeString(n.home))
	default:
		m.printf("<p>Call %s, ", text)
		m.text(5)
		m.WriteString(".</p>\n")
	}
	m.written++
}

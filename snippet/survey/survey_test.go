package survey

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// found is what was found, a line for each writing.
func found(numbers []Number) string {
	var b strings.Builder
	for _, n := range numbers {
		for _, w := range n.Writings {
			fmt.Fprintf(&b, "%s %s %q %d\n", n.Digits, w.Kind, w.Text, w.Count)
		}
	}
	return b.String()
}

func TestNumbersOfAPage(t *testing.T) {
	page := `<!doctype html><html><head><meta charset="utf-8">
		<title>Call +7 495 123-45-67</title>
		<meta name="description" content="Or 8 (495) 123-45-67"><meta name="keywords" content="+7 495 765-43-21">
		<script>var phone = "+7 495 765-43-21"</script><style>/* +7 495 765-43-21 */</style></head>
		<body><p>+7&nbsp;(495)&nbsp;123-45-67, 8 (495) <b>123-45</b>-67 or 8 (495) 123-45-67
		<p><a href="tel:+74951234567" title="8 (495) 123-45-67">Call</a> <a href="https://wa.me/74951234567?text=Hi">write</a> <a href="SMS:%2B7-495-123-45-67?body=x">text</a>
		<p>Repairs: 8 800 555-35-35 <img alt="0049 30 901820" src=x><template>+7 495 765-43-21</template>
		<textarea>+7 495 765-43-21</textarea><select><option>+7 495 765-43-21</select>`
	require.Equal(t, `74951234567 attribute "8 (495) 123-45-67" 2
74951234567 text "8 (495) 123-45-67" 2
74951234567 text "+7 495 123-45-67" 1
74951234567 text "+7 (495) 123-45-67" 1
74951234567 tel "+74951234567" 1
74951234567 messenger "74951234567" 1
74951234567 sms "%2B7-495-123-45-67" 1
4930901820 attribute "0049 30 901820" 1
78005553535 text "8 800 555-35-35" 1
`, found(Page([]byte(page), "", "RU")))
}

// A number that stands behind tables of figures is found on a short page, too.
func TestNumbersBehindFigures(t *testing.T) {
	const number = "<footer>Тел. 8 (495) 123-45-67"
	for name, page := range map[string]string{"a timetable": "<p>" + figures(60), "a plan": "<pre>" + strings.ReplaceAll(figures(2000), "7 ", "\n") + "</pre>"} {
		require.Contains(t, found(Page([]byte(page+number), "text/html; charset=utf-8", "RU")), "74951234567 text \"8 (495) 123-45-67\" 1\n", name)
	}
	var numbers strings.Builder
	for i := range 60 {
		fmt.Fprintf(&numbers, "01 42 68 %02d %02d ", i/10+50, i+10)
	}
	require.Len(t, Page([]byte("<p>"+numbers.String()), "", "FR"), 60)
}

// Without a region a national writing is found when the page tells elsewhere which
// number it is.
func TestNumbersWithoutARegion(t *testing.T) {
	require.Empty(t, Page([]byte(`<p>8 (495) 123-45-67`), "", ""))
	require.Equal(t, "74951234567 tel \"+74951234567\" 1\n74951234567 text \"8 (495) 123-45-67\" 1\n",
		found(Page([]byte(`<p>8 (495) 123-45-67 <a href="tel:+74951234567">call</a>`), "", "")))
	require.Equal(t, "442079460018 text \"+44 20 7946 0018\" 1\n", found(Page([]byte(`<p>+44 20 7946 0018`), "", "RU")))
}

func TestWritingsByRegion(t *testing.T) {
	for _, c := range []struct{ region, text, digits string }{
		{"RU", "8(495)1234567", "74951234567"},
		{"RU", "495 123 45 67", "74951234567"},
		{"RU", "84951234567", "74951234567"},
		{"RU", "８ ４９５ １２３ ４５ ６７", "74951234567"},
		{"ru", "8 (800) 555‑35‑35", "78005553535"},
		{"GB", "020 7946 0018", "442079460018"},
		{"GB", "+44 (0)20 7946 0018", "442079460018"},
		{"US", "(415) 555-2671", "14155552671"},
		{"US", "1-415-555-2671", "14155552671"},
		{"DE", "030/901820", "4930901820"},
		{"FR", "01 42 68 53 00", "33142685300"},
		{"ES", "912 34 56 78", "34912345678"},
		{"DK", "32 12 34 56", "4532123456"},
		{"IT", "06 698 12345", "390669812345"},
		{"AR", "011 15-2345-6789", "5491123456789"},
	} {
		numbers := Page([]byte("<p>Phone "+c.text+" any time"), "text/html; charset=utf-8", c.region)
		require.Len(t, numbers, 1, c.text)
		require.Equal(t, c.digits, numbers[0].Digits)
		require.True(t, numbers[0].Valid)
		require.Equal(t, []Writing{{Text: c.text, Kind: Text, Count: 1}}, numbers[0].Writings)
	}
}

func TestOtherFigures(t *testing.T) {
	for _, c := range []struct{ region, text string }{
		{"RU", "ИНН 7707083893"},
		{"RU", "Заказ № 84951234567"},
		{"RU", "Артикул 84951234567"},
		{"RU", "4276 8495 1234 5678"},
		{"RU", "от 12.04.2026 до 30.04.2026, 18:00–21:30"},
		{"RU", "8 499 990 руб. вместо 12 500 000 ₽"},
		{"RU", "id84951234567 и 495123456789012345"},
		{"RU", "495 и 1234567"},
		{"US", "4155552671"},
		{"US", "2026-04-12 10:30:00"},
		{"US", "$4,155,552,671.00 and 192.168.100.200"},
		{"DE", "Artikel 2345678, 2 345 678 €"},
		{"DE", "20.04.2026"},
		{"DE", "DE89 3704 0044 0532 0130 00"},
		{"", "8 (495) 123-45-67"},
	} {
		require.Empty(t, found(Page([]byte("<p>"+c.text+"</p>"), "text/html; charset=utf-8", c.region)), c.text)
	}
}

// A link says itself that it calls, so its number is listed whether or not the
// plans have it.
func TestNumbersOfLinks(t *testing.T) {
	for link, digits := range map[string]string{
		"tel:+15550100000":                                    "15550100000",
		"tel:84951234567":                                     "74951234567",
		" TEL:+7(495)123-45-67 ":                              "74951234567",
		"callto:+74951234567":                                 "74951234567",
		"tel:+7-495-123-45-67;ext=101":                        "74951234567",
		"whatsapp://send?phone=74951234567&text=1":            "74951234567",
		"https://api.whatsapp.com/send/?phone=%2B74951234567": "74951234567",
		"//wa.me/74951234567":                                 "74951234567",
		"https://shop.example/74951234567":                    "",
		"tel:112":                                             "",
		"tel:":                                                "",
		"tel:%":                                               "",
		"javascript:+74951234567":                             "",
	} {
		numbers := Page([]byte(`<a href="`+link+`">call</a>`), "", "RU")
		if digits == "" {
			require.Empty(t, numbers, link)
			continue
		}
		require.Len(t, numbers, 1, link)
		require.Equal(t, digits, numbers[0].Digits)
		require.Equal(t, digits[0] == '7', numbers[0].Valid)
	}
}

func TestCharsets(t *testing.T) {
	page := `<meta charset="%s"><p>Телефон:` + "\u00a0" + `8` + "\u00a0" + `(495)` + "\u00a0" + `123-45-67, ИНН 7707083893`
	for label, encoding := range map[string]*charmap.Charmap{"windows-1251": charmap.Windows1251, "koi8-r": charmap.KOI8R} {
		encoded, err := encoding.NewEncoder().String(fmt.Sprintf(page, label))
		require.NoError(t, err)
		require.Equal(t, "74951234567 text \"8 (495) 123-45-67\" 1\n", found(Page([]byte(encoded), "", "RU")), label)
		encoded, err = encoding.NewEncoder().String(fmt.Sprintf(page, ""))
		require.NoError(t, err)
		require.Len(t, Page([]byte(encoded), "text/html; charset="+label, "RU"), 1, "the header names %s", label)
	}
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(fmt.Sprintf(page, "utf-16"))
	require.NoError(t, err)
	require.Len(t, Page([]byte(wide), "", "RU"), 1)
	require.Empty(t, Page([]byte(`<meta charset="hz-gb-2312"><p>8 (495) 123-45-67`), "", "RU"), "browsers show nothing of it")
}

func TestBrokenPages(t *testing.T) {
	for _, page := range []string{
		"", "<", "<a href=tel:", "<a href=tel:+74951234567", "\x00\xff\xfe", "<script>8 (495) 123-45-67", "<!-- 8 (495) 123-45-67", "<template><p>8 (495) 123-45-67",
	} {
		require.Empty(t, Page([]byte(page), "text/html; charset=nonsense", "RU"), page)
	}
	require.Empty(t, Page([]byte("</p></script></template>8 (495) \x00\xff<b>123-45-67"), "", "ZZ"))
	require.Len(t, Page([]byte("</p></script></template>\xff 8 (495) <i><b>123-45-67"), "", "RU"), 1)
}

func TestBounds(t *testing.T) {
	var page strings.Builder
	for i := range 2 * MaxNumbers {
		fmt.Fprintf(&page, "<li>8 (495) 2%02d-%02d-%02d", i/10000, i/100%100, i%100)
	}
	numbers := Page([]byte(page.String()), "", "RU")
	require.Len(t, numbers, MaxNumbers)

	page.Reset()
	separators := []string{"", " ", "-", ".", "‑", "–", " - "}
	for _, first := range separators {
		for _, second := range separators {
			fmt.Fprintf(&page, "<li>8 (499) 123%s45%s67", first, second)
		}
	}
	numbers = Page([]byte(page.String()), "", "RU")
	require.Len(t, numbers, 1)
	require.Len(t, numbers[0].Writings, MaxWritings)

	behind := strings.Repeat(" ", MaxPage) + "8 (495) 123-45-67"
	require.Empty(t, Page([]byte(behind), "", "RU"))
}

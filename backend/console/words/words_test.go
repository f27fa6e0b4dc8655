package words

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func wordsIn(t *testing.T, code string, now time.Time) *Tongue {
	t.Helper()
	for _, w := range All(func() time.Time { return now }) {
		if w.Code == code {
			return w
		}
	}
	require.Fail(t, "no such language", code)
	return nil
}

func TestPluralForms(t *testing.T) {
	for code, wanted := range map[string]map[int]string{
		"en": {0: "0 visits", 1: "1 visit", 2: "2 visits", 21: "21 visits"},
		"ru": {0: "0 визитов", 1: "1 визит", 2: "2 визита", 5: "5 визитов", 11: "11 визитов", 21: "21 визит", 104: "104 визита"},
	} {
		w := wordsIn(t, code, time.Now())
		for n, text := range wanted {
			require.Equal(t, text, w.Text("card.visits", "n", n))
		}
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	en, ru := wordsIn(t, "en", now), wordsIn(t, "ru", now)
	for past, wanted := range map[time.Duration][2]string{
		-time.Minute:         {"just now", "только что"},
		59 * time.Second:     {"just now", "только что"},
		59 * time.Minute:     {"59 min ago", "59 мин назад"},
		23 * time.Hour:       {"23 h ago", "23 ч назад"},
		6 * 24 * time.Hour:   {"6 d ago", "6 дн. назад"},
		8 * 24 * time.Hour:   {"2026-02-22", "2026-02-22"},
		400 * 24 * time.Hour: {"2025-01-26", "2025-01-26"},
	} {
		require.Equal(t, wanted[0], en.Ago(now.Add(-past)))
		require.Equal(t, wanted[1], ru.Ago(now.Add(-past)))
	}
	require.Equal(t, "5 s", en.Span(5*time.Second))
	require.Equal(t, "0 s", en.Span(-5*time.Second))
	require.Equal(t, "59 min", en.Span(59*time.Minute+59*time.Second))
	require.Equal(t, "2 ч 5 мин", ru.Span(2*time.Hour+5*time.Minute))
}

func TestMoney(t *testing.T) {
	en, ru := wordsIn(t, "en", time.Now()), wordsIn(t, "ru", time.Now())
	for amount, wanted := range map[string][2]string{
		"0":                      {"0", "0"},
		"1500":                   {"1,500", "1 500"},
		"1500.00":                {"1,500", "1 500"},
		"1500.5":                 {"1,500.50", "1 500,50"},
		"0.125":                  {"0.125", "0,125"},
		"1234567.89":             {"1,234,567.89", "1 234 567,89"},
		"12345678901234567890.1": {"12345678901234567890.1", "12345678901234567890.1"},
		"a lot":                  {"a lot", "a lot"},
	} {
		require.Equal(t, wanted[0], en.Money(amount))
		require.Equal(t, wanted[1], strings.ReplaceAll(ru.Money(amount), "\u00a0", " "))
	}
}

func TestMoneyInACurrency(t *testing.T) {
	for currency, wanted := range map[string][2]string{
		"EUR": {"€1,500.50", "1 500,50 €"}, "RUB": {"₽1,500.50", "1 500,50 ₽"}, "CHF": {"CHF 1,500.50", "1 500,50 CHF"}, "JPY": {"¥1,500", "1 500 ¥"},
	} {
		for i, code := range []string{"en", "ru"} {
			require.Equal(t, wanted[i], strings.ReplaceAll(wordsIn(t, code, time.Now()).In(currency).Sum(1500.499), "\u00a0", " "))
		}
	}
	require.Equal(t, "1,500.50", wordsIn(t, "en", time.Now()).In("").Sum(1500.499))
}

func TestPhones(t *testing.T) {
	require.Equal(t, "+7 495 123-45-67", Phone("74951234567", "8 (495) 123-45-67"))
	require.Equal(t, "+49 30 901820", Phone("4930901820", ""))
	require.Equal(t, "123 ask for Anna", Phone("123", "123 ask for Anna"))
	require.Equal(t, "123", Phone("123", ""))
	require.Equal(t, "+74951234567", Dial("74951234567"))
	for _, none := range []string{"", "123", "javascript:alert(1)", "7495123456+", "749512345677495123456774951234567"} {
		require.Empty(t, Dial(none), none)
	}
}

func TestMailboxes(t *testing.T) {
	require.Equal(t, "anna@mail.example", Mailbox("anna@mail.example"))
	for _, none := range []string{"", "anna", "Anna <anna@mail.example>", "a@b.example?subject=x", "a@b.example&cc=c@d.example", "a@b.example, c@d.example", `"a b"@c.example`} {
		require.Empty(t, Mailbox(none), none)
	}
}

func TestAddresses(t *testing.T) {
	for address, wanted := range map[string]Address{
		"https://www.shop.example/": {Link: "https://www.shop.example/", Host: "shop.example", Path: "/", Short: "shop.example"},
		"http://shop.example":       {Link: "http://shop.example", Host: "shop.example", Path: "/", Short: "shop.example"},
		"https://shop.example/%D0%BB%D0%B0%D0%BC%D0%BF%D1%8B?q=%D1%82%D0%BE&utm_source=x&gclid=1&page=2#top": {
			Link: "https://shop.example/%D0%BB%D0%B0%D0%BC%D0%BF%D1%8B?q=%D1%82%D0%BE&utm_source=x&gclid=1&page=2#top",
			Host: "shop.example", Path: "/лампы?q=то&page=2#top", Short: "shop.example/лампы?q=то&page=2#top"},
		"javascript:alert(1)":  {Path: "javascript:alert(1)", Short: "javascript:alert(1)"},
		"//shop.example/x":     {Path: "//shop.example/x", Short: "//shop.example/x"},
		"ftp://shop.example/x": {Path: "ftp://shop.example/x", Short: "ftp://shop.example/x"},
		"https://%zz/":         {Path: "https://%zz/", Short: "https://%zz/"},
		"":                     {},
	} {
		require.Equal(t, wanted, AddressOf(address), address)
	}
}

func TestBrowsers(t *testing.T) {
	for header, wanted := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36":                            "Chrome · Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":              "Edge · Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 YaBrowser/25.8.0.0 Safari/537.36":         "Yandex Browser · Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1":    "Safari · iPhone",
		"Mozilla/5.0 (Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36": "Samsung Internet · Android",
		"Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0":                                                                     "Firefox · Linux",
		"curl/8.0": "curl/8.0",
	} {
		require.Equal(t, wanted, BrowserOf(header))
	}
	require.Equal(t, "Russian", wordsIn(t, "en", time.Now()).LanguageOf("ru-RU,ru;q=0.9,en;q=0.8"))
	require.Equal(t, "английский", wordsIn(t, "ru", time.Now()).LanguageOf("en-US"))
	require.Equal(t, "!", wordsIn(t, "ru", time.Now()).LanguageOf("!"))
}

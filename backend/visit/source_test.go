package visit_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestSource(t *testing.T) {
	const shop = "https://shop.example"
	for _, c := range []struct {
		page, referrer string
		kind, source   string
	}{
		{"/", "", visit.Direct, ""},
		{"/lamps?page=2", "", visit.Direct, ""},
		{"/", shop + "/lamps", visit.Direct, ""},
		{"/", "https://SHOP.example:443/x", visit.Direct, ""},
		{"/", "https://www.shop.example/x", visit.Direct, ""},
		{"/", "https://blog.shop.example/x", visit.Referral, "blog.shop.example"},
		{"/", "not an address", visit.Direct, ""},
		{"/", "://", visit.Direct, ""},
		{"/", "about:blank", visit.Direct, ""},

		{"/?utm_source=news", "", visit.Campaign, "news"},
		{"/?utm_source=news&utm_medium=mail", "https://www.google.com/", visit.Campaign, "news"},
		{"/?utm_campaign=spring", "", visit.Campaign, ""},
		{"/?utm_campaign=spring", "https://www.google.com/", visit.Campaign, "google"},
		{"/?utm_campaign=spring&gclid=x", "", visit.Campaign, "google"},
		{"/?utm_medium=cpc&yclid=x", "https://yandex.ru/", visit.Campaign, "yandex"},
		{"/?UTM_SOURCE=news", "", visit.Direct, ""},
		{"/?utm_source=", "", visit.Direct, ""},
		{"/?utm_source=a%20b", "", visit.Campaign, "a b"},
		{"/#utm_source=news", "", visit.Direct, ""},

		{"/?gclid=x", "", visit.Ad, "google"},
		{"/?gclid=x", "https://www.google.com/", visit.Ad, "google"},
		{"/?gbraid=x", "", visit.Ad, "google"},
		{"/?wbraid=x", "", visit.Ad, "google"},
		{"/?dclid=x", "", visit.Ad, "google"},
		{"/?yclid=x", "", visit.Ad, "yandex"},
		{"/?msclkid=x", "", visit.Ad, "bing"},
		{"/?ttclid=x", "", visit.Ad, "tiktok"},
		{"/?rb_clickid=x", "", visit.Ad, "vk"},
		{"/?fbclid=x", "", visit.Social, "facebook"},
		{"/?fbclid=x", "https://l.facebook.com/", visit.Social, "facebook"},
		{"/?fbclid=x", "https://l.instagram.com/", visit.Social, "instagram"},
		{"/?ysclid=x", "https://yandex.ru/", visit.Search, "yandex"},
		{"/?ysclid=x", "", visit.Search, "yandex"},
		{"/?gclid=", "", visit.Direct, ""},
		{"/?twclid=x", "https://t.co/", visit.Ad, "x"},
		{"/?li_fat_id=x", "", visit.Ad, "linkedin"},
		{"/?ScCid=x", "", visit.Ad, "snapchat"},
		{"/?ymclid=x", "", visit.Ad, "yandex market"},
		{"/?fbclid=x&gclid=y", "", visit.Ad, "google"},

		{"/", "https://www.google.com/", visit.Search, "google"},
		{"/", "https://google.com", visit.Search, "google"},
		{"/", "https://www.google.co.uk/search?q=lamps", visit.Search, "google"},
		{"/", "https://www.google.com.br/", visit.Search, "google"},
		{"/", "https://www.google.ru:443/", visit.Search, "google"},
		{"/", "HTTPS://WWW.GOOGLE.DE/", visit.Search, "google"},
		{"/", "https://yandex.ru/clck/jsredir", visit.Search, "yandex"},
		{"/", "https://yandex.com.tr/", visit.Search, "yandex"},
		{"/", "https://ya.ru/", visit.Search, "yandex"},
		{"/", "https://www.bing.com/", visit.Search, "bing"},
		{"/", "https://duckduckgo.com/", visit.Search, "duckduckgo"},
		{"/", "https://search.yahoo.com/", visit.Search, "yahoo"},
		{"/", "https://de.search.yahoo.com/", visit.Search, "yahoo"},
		{"/", "https://chatgpt.com/", visit.Search, "chatgpt"},
		{"/", "android-app://com.google.android.googlequicksearchbox/", visit.Search, "google"},

		{"/", "https://vk.com/away.php", visit.Social, "vk"},
		{"/", "https://m.vk.com/", visit.Social, "vk"},
		{"/", "https://t.co/abc", visit.Social, "x"},
		{"/", "https://www.facebook.com/", visit.Social, "facebook"},
		{"/", "https://lm.facebook.com/", visit.Social, "facebook"},
		{"/", "https://t.me/shop", visit.Social, "telegram"},
		{"/", "android-app://org.telegram.messenger", visit.Social, "telegram"},
		{"/", "https://dzen.ru/", visit.Social, "dzen"},
		{"/", "https://old.reddit.com/r/lamps", visit.Social, "reddit"},

		{"/", "https://mail.google.com/mail/u/0/", visit.Mail, "gmail"},
		{"/", "https://e.mail.ru/", visit.Mail, "mail.ru"},
		{"/", "https://maps.google.com/", visit.Map, "google maps"},
		{"/", "https://2gis.ru/moscow", visit.Map, "2gis"},

		{"/", "https://blog.example/post", visit.Referral, "blog.example"},
		{"/", "https://www.blog.example/post", visit.Referral, "blog.example"},
		{"/", "https://docs.google.com/document", visit.Referral, "docs.google.com"},
		{"/", "https://google.evil.example/", visit.Referral, "google.evil.example"},
		{"/", "https://google.evil.io/", visit.Referral, "google.evil.io"},
		{"/", "https://google.blogspot.com/", visit.Referral, "google.blogspot.com"},
		{"/", "https://www.tripadvisor.co.uk/", visit.Map, "tripadvisor"},
		{"/", "android-app://com.google.android.gm/", visit.Mail, "gmail"},
		{"/", "android-app://example.unknown.app/", visit.Referral, "example.unknown.app"},
		{"/", "https://notgoogle.com/", visit.Referral, "notgoogle.com"},
		{"/", "https://лампы.рф/", visit.Referral, "xn--80avem4d.xn--p1ai"},
		{"/", "https://127.0.0.1:8080/", visit.Referral, "127.0.0.1"},
		{"/", "https://[::1]/", visit.Referral, "::1"},
		{"/%zz?utm_source=news", "https://vk.com/", visit.Social, "vk"},
	} {
		source := visit.SourceOf(shop+c.page, c.referrer)
		require.Equal(t, c.kind, source.Kind, "%s from %s", c.page, c.referrer)
		require.Equal(t, c.source, source.Source, "%s from %s", c.page, c.referrer)
	}
}

func TestSourceKeepsAllFields(t *testing.T) {
	require.Equal(t, visit.Source{
		Kind: visit.Campaign, Source: "s", Medium: "m", Campaign: "c", Term: "t", Content: "k", ClickIDName: "yclid", ClickID: "17",
		Referrer: "yandex.ru", Landing: "/lamps/birch",
	}, visit.SourceOf("https://shop.example/lamps/birch?utm_source=s&utm_medium=m&utm_campaign=c&utm_term=t&utm_content=k&yclid=17&x=y", "https://yandex.ru/"))
}

// A visit is paid for by the word of its medium, or by an ad's click id.
func TestPaidSources(t *testing.T) {
	for query, paid := range map[string]bool{
		"utm_source=google&utm_medium=cpc": true, "utm_source=google&utm_medium=CPC": true, "utm_source=vk&utm_medium=paid_social": true,
		"utm_source=vk&utm_medium=social-cpc": true, "utm_medium=PaidSearch": true, "utm_medium=display": true, "utm_medium=Banner%20top": true,
		"utm_medium=retargeting": true, "utm_medium=%D0%A0%D0%B5%D0%BA%D0%BB%D0%B0%D0%BC%D0%B0": true, "gclid=x": true, "yclid=x&utm_medium=referral": true, "fbclid=x&utm_medium=cpm": true,
		"utm_source=news&utm_medium=email": false, "utm_source=news": false, "utm_source=cpc": false, "utm_medium=organic": false, "utm_medium=social": false,
		"utm_medium=unpaid": false, "utm_medium=adsense-blog": false, "fbclid=x": false, "ysclid=x": false, "fbclid=x&utm_source=facebook": false, "": false,
	} {
		source := visit.SourceOf("https://shop.example/?"+query, "")
		require.Equal(t, paid, source.Paid(), query)
	}
}

// A source is the same in every writing.
func TestSourcesInCapitals(t *testing.T) {
	one := visit.SourceOf("https://shop.example/?utm_source=google&utm_medium=cpc&utm_campaign=May", "")
	require.Equal(t, one, visit.SourceOf("https://shop.example/?utm_source=Google&utm_medium=CPC&utm_campaign=May", ""))
	require.Equal(t, "google", one.Source)
	require.Equal(t, "May", one.Campaign)
	require.Equal(t, "яндекс", visit.SourceOf("https://shop.example/?utm_source=%D0%AF%D0%BD%D0%B4%D0%B5%D0%BA%D1%81", "").Source)
}

func FuzzSource(f *testing.F) {
	for _, seed := range [][2]string{
		{"https://shop.example/?utm_source=news", "https://google.com/"}, {"", ""}, {"\x00", "\xff"}, {"http://[", "//"}, {"/?utm_source=%00%ff", "http://a.b.c.d.e/"},
		{"https://x/?gclid=" + string(make([]byte, 500)), "android-app://x"}, {"?utm_source=яяя", "https://....../"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, page, referrer string) {
		var s visit.Source
		stepstest.Hold(t, len(page)+len(referrer), func() { s = visit.SourceOf(page, referrer) })
		require.NotEmpty(t, s.Kind)
		for _, text := range []string{s.Source, s.Medium, s.Campaign, s.Term, s.Content, s.ClickID, s.Referrer, s.Landing} {
			require.LessOrEqual(t, len(text), 200)
			require.True(t, utf8.ValidString(text))
			require.NotContains(t, text, "\x00")
		}
	})
}

// IsClickID accepts click ids in any case, and no other names.
func TestIsClickID(t *testing.T) {
	for _, name := range []string{"gclid", "GCLID", "ScCid", "sccid", "ysclid"} {
		require.True(t, visit.IsClickID(name), name)
	}
	for _, name := range []string{"", "utm_source", "gclid2", "clid"} {
		require.False(t, visit.IsClickID(name), name)
	}
}

// The short way for most pages returns the same as the long one.
func TestSourceWithinTheSite(t *testing.T) {
	for _, host := range []string{"shop.example", "SHOP.example:8443", "[::1]:80", ""} {
		for _, referrer := range []string{
			"", "http://" + host, "https://" + host + "/", "https://" + host + "/lamps?x=y", "https://" + host + ".evil.example/", "https://" + host + "@evil.example/",
			"https://" + host + "?x", "https://other.example/" + host + "/", host + "/", "//" + host + "/", "://" + host,
		} {
			short := visit.SourceAt(&url.URL{Host: host, Path: "/lamps"}, referrer)
			long := visit.SourceAt(&url.URL{Host: host, Path: "/lamps", RawQuery: "page=2"}, referrer)
			require.Equal(t, long, short, "%s from %s", host, referrer)
		}
	}
}

// FuzzSourceOfQuery compares the marks of a query with what the library reads.
func FuzzSourceOfQuery(f *testing.F) {
	for _, query := range []string{
		"utm_source=a&utm_source=b", "utm_source=&utm_source=b", "gclid=a&yclid=b", "yclid=b&gclid=a", "gclid=&yclid=b", "utm%5Fsource=a+b",
		"utm_source=%zz&utm_source=b", "utm_source=a;b", "a;utm_source=b", "&&=&utm_term", "utm_medium=%ff%00a", "fbclid=a&gad_source=1", "sccid=1&ScCid=2",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		library, _ := url.ParseQuery(query)
		got := visit.SourceAt(&url.URL{Path: "/", RawQuery: query}, "")
		text := func(name string) string { return visit.Clip(library.Get(name), visit.MaxSourceText) }
		folded := func(name string) string { return visit.Clip(strings.ToLower(text(name)), visit.MaxSourceText) }
		if got.Kind == visit.Campaign && got.Source != "" && text("utm_source") != "" {
			require.Equal(t, folded("utm_source"), got.Source)
		}
		require.Equal(t, []string{folded("utm_medium"), text("utm_campaign"), text("utm_term"), text("utm_content")},
			[]string{got.Medium, got.Campaign, got.Term, got.Content})
		if got.ClickIDName != "" {
			require.Equal(t, text(got.ClickIDName), got.ClickID)
			return
		}
		for name := range library {
			require.False(t, name != "" && text(name) != "" && visit.SourceAt(&url.URL{RawQuery: name + "=1"}, "").ClickIDName == name, name)
		}
	})
}

package source_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestSource(t *testing.T) {
	const shop = "https://shop.example"
	for _, c := range []struct {
		page, referrer string
		kind, source   string
	}{
		{"/", "", source.Direct, ""},
		{"/lamps?page=2", "", source.Direct, ""},
		{"/", shop + "/lamps", source.Direct, ""},
		{"/", "https://SHOP.example:443/x", source.Direct, ""},
		{"/", "https://www.shop.example/x", source.Direct, ""},
		{"/", "https://blog.shop.example/x", source.Referral, "blog.shop.example"},
		{"/", "not an address", source.Direct, ""},
		{"/", "://", source.Direct, ""},
		{"/", "about:blank", source.Direct, ""},

		{"/?utm_source=news", "", source.Campaign, "news"},
		{"/?utm_source=news&utm_medium=mail", "https://www.google.com/", source.Campaign, "news"},
		{"/?utm_campaign=spring", "", source.Campaign, ""},
		{"/?utm_campaign=spring", "https://www.google.com/", source.Campaign, "google"},
		{"/?utm_campaign=spring&gclid=x", "", source.Ad, "google"},
		{"/?utm_medium=cpc&yclid=x", "https://yandex.ru/", source.Ad, "yandex"},
		{"/?utm_source=Google&utm_medium=cpc", "", source.Ad, "google"},
		{"/?utm_source=news&utm_medium=email", "", source.Campaign, "news"},
		{"/?UTM_SOURCE=news", "", source.Direct, ""},
		{"/?utm_source=", "", source.Direct, ""},
		{"/?utm_source=a%20b", "", source.Campaign, "a b"},
		{"/#utm_source=news", "", source.Direct, ""},

		{"/?gclid=x", "", source.Ad, "google"},
		{"/?gclid=x", "https://www.google.com/", source.Ad, "google"},
		{"/?gbraid=x", "", source.Ad, "google"},
		{"/?wbraid=x", "", source.Ad, "google"},
		{"/?dclid=x", "", source.Ad, "google"},
		{"/?yclid=x", "", source.Ad, "yandex"},
		{"/?msclkid=x", "", source.Ad, "bing"},
		{"/?ttclid=x", "", source.Ad, "tiktok"},
		{"/?rb_clickid=x", "", source.Ad, "vk"},
		{"/?fbclid=x", "", source.Social, "facebook"},
		{"/?fbclid=x", "https://l.facebook.com/", source.Social, "facebook"},
		{"/?fbclid=x", "https://l.instagram.com/", source.Social, "instagram"},
		{"/?ysclid=x", "https://yandex.ru/", source.Search, "yandex"},
		{"/?ysclid=x", "", source.Search, "yandex"},
		{"/?gclid=", "", source.Direct, ""},
		{"/?twclid=x", "https://t.co/", source.Ad, "x"},
		{"/?li_fat_id=x", "", source.Ad, "linkedin"},
		{"/?ScCid=x", "", source.Ad, "snapchat"},
		{"/?ymclid=x", "", source.Ad, "yandex market"},
		{"/?fbclid=x&gclid=y", "", source.Ad, "google"},

		{"/", "https://www.google.com/", source.Search, "google"},
		{"/", "https://google.com", source.Search, "google"},
		{"/", "https://www.google.co.uk/search?q=lamps", source.Search, "google"},
		{"/", "https://www.google.com.br/", source.Search, "google"},
		{"/", "https://www.google.ru:443/", source.Search, "google"},
		{"/", "HTTPS://WWW.GOOGLE.DE/", source.Search, "google"},
		{"/", "https://yandex.ru/clck/jsredir", source.Search, "yandex"},
		{"/", "https://yandex.com.tr/", source.Search, "yandex"},
		{"/", "https://ya.ru/", source.Search, "yandex"},
		{"/", "https://www.bing.com/", source.Search, "bing"},
		{"/", "https://duckduckgo.com/", source.Search, "duckduckgo"},
		{"/", "https://search.yahoo.com/", source.Search, "yahoo"},
		{"/", "https://de.search.yahoo.com/", source.Search, "yahoo"},
		{"/", "https://chatgpt.com/", source.Search, "chatgpt"},
		{"/", "android-app://com.google.android.googlequicksearchbox/", source.Search, "google"},

		{"/", "https://vk.com/away.php", source.Social, "vk"},
		{"/", "https://m.vk.com/", source.Social, "vk"},
		{"/", "https://t.co/abc", source.Social, "x"},
		{"/", "https://www.facebook.com/", source.Social, "facebook"},
		{"/", "https://lm.facebook.com/", source.Social, "facebook"},
		{"/", "https://t.me/shop", source.Social, "telegram"},
		{"/", "android-app://org.telegram.messenger", source.Social, "telegram"},
		{"/", "https://dzen.ru/", source.Social, "dzen"},
		{"/", "https://old.reddit.com/r/lamps", source.Social, "reddit"},

		{"/", "https://mail.google.com/mail/u/0/", source.Mail, "gmail"},
		{"/", "https://e.mail.ru/", source.Mail, "mail.ru"},
		{"/", "https://maps.google.com/", source.Map, "google maps"},
		{"/", "https://2gis.ru/moscow", source.Map, "2gis"},

		{"/", "https://blog.example/post", source.Referral, "blog.example"},
		{"/", "https://www.blog.example/post", source.Referral, "blog.example"},
		{"/", "https://docs.google.com/document", source.Referral, "docs.google.com"},
		{"/", "https://google.evil.example/", source.Referral, "google.evil.example"},
		{"/", "https://google.evil.io/", source.Referral, "google.evil.io"},
		{"/", "https://google.blogspot.com/", source.Referral, "google.blogspot.com"},
		{"/", "https://www.tripadvisor.co.uk/", source.Map, "tripadvisor"},
		{"/", "android-app://com.google.android.gm/", source.Mail, "gmail"},
		{"/", "android-app://example.unknown.app/", source.Referral, "example.unknown.app"},
		{"/", "https://notgoogle.com/", source.Referral, "notgoogle.com"},
		{"/", "https://лампы.рф/", source.Referral, "xn--80avem4d.xn--p1ai"},
		{"/", "https://127.0.0.1:8080/", source.Referral, "127.0.0.1"},
		{"/", "https://[::1]/", source.Referral, "::1"},
		{"/%zz?utm_source=news", "https://vk.com/", source.Social, "vk"},
	} {
		source := source.Of(shop+c.page, c.referrer, source.Own{})
		require.Equal(t, c.kind, source.Kind, "%s from %s", c.page, c.referrer)
		require.Equal(t, c.source, source.Source, "%s from %s", c.page, c.referrer)
	}
}

func TestSourceKeepsAllFields(t *testing.T) {
	require.Equal(t, source.Source{
		Kind: source.Ad, Source: "s", Medium: "m", Campaign: "c", Term: "t", Content: "k", ClickIDName: "yclid", ClickID: "17",
		Referrer: "yandex.ru", Landing: "/lamps/birch",
	}, source.Of("https://shop.example/lamps/birch?utm_source=s&utm_medium=m&utm_campaign=c&utm_term=t&utm_content=k&yclid=17&x=y", "https://yandex.ru/", source.Own{}))
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
		source := source.Of("https://shop.example/?"+query, "", source.Own{})
		require.Equal(t, paid, source.Paid(), query)
		require.Equal(t, paid, source.Kind == "ad", query)
	}
}

// A source is the same in every writing.
func TestSourcesInCapitals(t *testing.T) {
	one := source.Of("https://shop.example/?utm_source=google&utm_medium=cpc&utm_campaign=May", "", source.Own{})
	require.Equal(t, one, source.Of("https://shop.example/?utm_source=Google&utm_medium=CPC&utm_campaign=May", "", source.Own{}))
	require.Equal(t, "google", one.Source)
	require.Equal(t, "May", one.Campaign)
	require.Equal(t, "яндекс", source.Of("https://shop.example/?utm_source=%D0%AF%D0%BD%D0%B4%D0%B5%D0%BA%D1%81", "", source.Own{}).Source)
}

func FuzzSource(f *testing.F) {
	for _, seed := range [][2]string{
		{"https://shop.example/?utm_source=news", "https://google.com/"}, {"", ""}, {"\x00", "\xff"}, {"http://[", "//"}, {"/?utm_source=%00%ff", "http://a.b.c.d.e/"},
		{"https://x/?gclid=" + string(make([]byte, 500)), "android-app://x"}, {"?utm_source=яяя", "https://....../"},
		{"/?utm_campaign=a", "http://" + strings.Repeat("a", 201) + "/"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, page, referrer string) {
		var s source.Source
		stepstest.Hold(t, len(page)+len(referrer), func() { s = source.Of(page, referrer, source.Own{}) })
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
		require.True(t, source.IsClickID(name), name)
	}
	for _, name := range []string{"", "utm_source", "gclid2", "clid"} {
		require.False(t, source.IsClickID(name), name)
	}
}

// The short way for most pages returns the same as the long one.
func TestSourceWithinTheSite(t *testing.T) {
	for _, host := range []string{"shop.example", "SHOP.example:8443", "[::1]:80", ""} {
		for _, referrer := range []string{
			"", "http://" + host, "https://" + host + "/", "https://" + host + "/lamps?x=y", "https://" + host + ".evil.example/", "https://" + host + "@evil.example/",
			"https://" + host + "?x", "https://other.example/" + host + "/", host + "/", "//" + host + "/", "://" + host,
		} {
			short := source.At(&url.URL{Host: host, Path: "/lamps"}, referrer, source.Own{})
			long := source.At(&url.URL{Host: host, Path: "/lamps", RawQuery: "page=2"}, referrer, source.Own{})
			require.Equal(t, long, short, "%s from %s", host, referrer)
		}
	}
}

// mostInLibrary is how many parameters the library reads.
const mostInLibrary = 10_000

// FuzzSourceOfQuery compares the marks of a query with what the library reads.
func FuzzSourceOfQuery(f *testing.F) {
	for _, query := range []string{
		"utm_source=a&utm_source=b", "utm_source=&utm_source=b", "gclid=a&yclid=b", "yclid=b&gclid=a", "gclid=&yclid=b", "utm%5Fsource=a+b",
		"utm_source=%zz&utm_source=b", "utm_source=a;b", "a;utm_source=b", "&&=&utm_term", "utm_medium=%ff%00a", "fbclid=a&gad_source=1", "sccid=1&ScCid=2",
	} {
		f.Add(query)
	}
	f.Add(strings.Repeat("&", mostInLibrary+1) + "utm_term=a")
	f.Fuzz(func(t *testing.T, query string) {
		if strings.Count(query, "&") >= mostInLibrary {
			return
		}
		library, _ := url.ParseQuery(query)
		got := source.At(&url.URL{Path: "/", RawQuery: query}, "", source.Own{})
		text := func(name string) string { return clip.Text(library.Get(name), source.MaxText) }
		folded := func(name string) string { return clip.Text(strings.ToLower(text(name)), source.MaxText) }
		if got.Kind == source.Campaign && got.Source != "" && text("utm_source") != "" {
			require.Equal(t, folded("utm_source"), got.Source)
		}
		require.Equal(t, []string{folded("utm_medium"), text("utm_campaign"), text("utm_term"), text("utm_content")},
			[]string{got.Medium, got.Campaign, got.Term, got.Content})
		if got.ClickIDName != "" {
			require.Equal(t, text(got.ClickIDName), got.ClickID)
			return
		}
		for name := range library {
			require.False(t, name != "" && text(name) != "" && source.At(&url.URL{RawQuery: name + "=1"}, "", source.Own{}).ClickIDName == name, name)
		}
	})
}

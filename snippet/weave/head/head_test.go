package head_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

// found feeds a whole page to a Finder and returns the verdict and the place.
func found(page string, charset bool) (head.Verdict, int) {
	var f head.Finder
	f.Reset(charset)
	verdict := f.Feed([]byte(page))
	if verdict == head.Undecided {
		verdict = f.Finish()
	}
	return verdict, int(f.Place())
}

// In these pages, "§" marks the place. The test removes it before it feeds them.
func TestPlace(t *testing.T) {
	for name, page := range map[string]string{
		"first script":             `<!doctype html><html><head><title>a</title>§<script>b</script></head><body>c`,
		"no script":                "<html><head><title>a</title>§</head>\n<body>",
		"no head tag":              `<html>§<body>a</body></html>`,
		"no tags but the title":    `<title>a</title>§<p>b`,
		"title, then text":         "<title>a</title>\n §text",
		"text with less-than":      `<title>a</title>§<3 b`,
		"neither head nor body":    `<!doctype html>§<div>a</div>`,
		"the document only begins": `<!doctype html><title>a</title>§`,
		"head never closed":        `<html><head><link rel=a>§<div>b`,
		"stray end tags":           `<html></p></div><head>§</head>`,
		"end of the page":          `<html><title>a</title>§</html>`,
		"upper case":               `<!DOCTYPE HTML><HTML><HEAD>§<SCRIPT>a</SCRIPT>`,
		"byte order mark":          "\ufeff<!doctype html><head>§<script>a</script><meta charset=utf-8>",
		"comment first":            `<!-- a --><!doctype html><head>§<script>`,
		"processing instruction":   `<?xml version="1.0"?><!DOCTYPE html><head>§</head>`,

		"script in a comment":              `<html><!-- <script></script> --><head>§</head>`,
		"comment closed early":             `<html><!--><head>§<script>a</script>-->`,
		"comment with dashes":              `<html><!-- a -- > <script> --!><head>§<script>`,
		"script in a conditional comment":  `<html><!--[if IE]><script src=a></script><![endif]-->§</head>`,
		"revealed conditional comment":     `<html><![if !IE]>§<script src=a></script><![endif]>`,
		"script in the title":              `<html><title><script>a</script></title>§<script>b</script>`,
		"script in a style":                `<html><style>/*<script>*/</style>§<script>b</script>`,
		"script in noscript":               `<html><noscript><script>a</script></noscript>§<script>b</script>`,
		"script in a template":             `<html><head><template><template><script>a</script></template><p>b</template>§<script>c</script>`,
		"head end in an attribute":         `<html data-a="</head><script>"><meta name=a content='</head><body>'>§</head>`,
		"attribute without quotes":         `<html data-a=</head><meta name=a>§</head>`,
		"attribute with a slash":           `<html a/b/><meta name=a/>§</head>`,
		"name that only begins like one":   `<html><head><title>a</title>§<scripts></scripts><script>`,
		"a very long name":                 `<html>§<` + strings.Repeat("a", 100) + `><script>`,
		"end tag of the title, long":       "<html><title>a</titles></title\n x=1>§<script>",
		"data block":                       `<html>§<script type="application/ld+json">{}</script>`,
		"svg ends the head":                `<html>§<svg><script>a</script></svg>`,
		"cdata outside of svg":             `<html><![CDATA[<script>§]]><p>`,
		"null bytes":                       "<html><title>\x00</title>§\x00<script>",
		"broken utf-8":                     "<html><title>\xff\xc0</title>§<script>\xfe",
		"attribute of a megabyte":          `<html data-a="` + strings.Repeat("<script>", 1<<17) + `">§<script>`,
		"head with a very long comment":    `<html><!--` + strings.Repeat("<script>-", 1<<12) + `-->§<script>`,
		"charset before the script":        `<html><meta charset=utf-8>§<script>a</script>`,
		"charset behind the script":        `<html><script>a</script><meta charset=utf-8>§<title>b</title>`,
		"content-type behind the script":   `<html><script>a</script><meta http-equiv=Content-Type content="text/html; charset=windows-1251">§`,
		"charset too late":                 `<html>§<script>` + strings.Repeat("a", 1100) + `</script><meta charset=utf-8>`,
		"charset at the limit":             `<html><script>` + strings.Repeat("a", 985) + `</script><meta data-a="` + strings.Repeat("b", 500) + `" charset=koi8-r>§`,
		"charset in the script":            `<html>§<script>"<meta charset=utf-8>"</script>`,
		"templates around a drawing":       `<html><template><svg><title>a</title></svg><template></template></template>§<script>b</script>`,
		"drawing that a template ends":     `<html><template><svg></template><title><script>a</script></title>§<script>b</script>`,
		"charset in a template":            `<html>§<script>a</script><template><meta charset=utf-8></template>`,
		"charset behind the body":          `<html><body><meta charset=utf-8>§<p>`,
		"other meta behind the script":     `<html>§<script>a</script><meta name=charset content="charset=a">`,
		"script hidden the old way":        `<html>§<script><!-- <script>a</script> --></script><title>b`,
		"our address only in an attribute": `<html>§<script data-src="/svc.js" src="/a.js"></script>`,
		"a script of a like name":          `<html>§<script src="/notsvc.js"></script>`,
		"a queue and no account":           `<html>§<script>var __cs = []</script><script>a</script>`,
		"the account later":                `<html>§<script>a</script><script>__cs.push(["setCsAccount","k"])</script>`,
		"no script end":                    `<html>§<script>a`,
	} {
		t.Run(name, func(t *testing.T) {
			before, after, ok := strings.Cut(page, "§")
			require.True(t, ok)
			verdict, place := found(before+after, false)
			require.Equal(t, head.Found, verdict)
			require.Equal(t, len(before), place)
		})
	}
}

func TestPlaceWhenTheEncodingIsKnown(t *testing.T) {
	verdict, place := found(`<html><script>a</script><meta charset=utf-8>`, true)
	require.Equal(t, head.Found, verdict)
	require.Equal(t, len("<html>"), place)
}

func TestNoPlace(t *testing.T) {
	for name, c := range map[string]struct {
		page    string
		verdict head.Verdict
	}{
		"nothing":                   {"", head.Fragment},
		"white space":               {" \n", head.Fragment},
		"part of a mark":            {"\xef\xbb", head.Fragment},
		"only a comment":            {"<!-- a -->", head.Fragment},
		"text":                      {"a", head.Fragment},
		"a div":                     {"<div><html><head></head>", head.Fragment},
		"a script":                  {"<script>a</script>", head.Fragment},
		"an end tag":                {"</html><!doctype html>", head.Fragment},
		"less-than":                 {"< html><head>", head.Fragment},
		"frameset":                  {"<html><head><title>a</title></head> <!-- b --><frameset>", head.Frameset},
		"frameset without a head":   {"<html><frameset>", head.Frameset},
		"frameset by type":          {`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Frameset//EN"><head><script>`, head.Frameset},
		"utf-16, big end first":     {"\xfe\xff\x00<", head.Charset},
		"utf-16, little end first":  {"\xff\xfe<\x00", head.Charset},
		"utf-32, big end first":     {"\x00\x00\xfe\xff", head.Charset},
		"iso-2022-jp":               {"<html><meta charset=ISO-2022-JP><script>", head.Charset},
		"end in a tag":              {"<!doctype html><titl", head.NoPlace},
		"end in the title":          {"<!doctype html><title>a", head.NoPlace},
		"end in a comment":          {"<!doctype html><!-- a", head.NoPlace},
		"end in a template":         {"<!doctype html><template>", head.NoPlace},
		"template in an svg":        {"<html><template><svg><template></svg></template><script>a</script></template><p>", head.NoPlace},
		"empty template in an svg":  {"<html><template><svg><template/></svg></template><script>a</script></template><p>", head.NoPlace},
		"template in a formula":     {"<html><template><math><mi><template></mi></math></template><script>a</script></template><p>", head.NoPlace},
		"a policy out of all size":  {`<html><meta http-equiv=content-security-policy content="` + strings.Repeat("a", 1<<14) + `"><script>`, head.Policy},
		"the core script":           {`<html><script src="https://a.example/frontdesk/svc.js?k=b"></script>`, head.Already},
		"the core script, relative": {`<html><script async src=svc.js></script>`, head.Already},
		"our own code":              {`<html><script nonce="a">var __cs=__cs||[];__cs.push(["setCsAccount","k"]);</script><script async src="/frontdesk/svc.js"></script>`, head.Already},
		"our own data":              {`<html><script type="application/json" data-svc>{"queue":[]}</script><script async src="/f/svc.js"></script>`, head.Already},
		"the account by push":       {`<html><script>var __cs=__cs||[];__cs.push(["setAccount","k"])</script>`, head.Already},
		"the queue, then account":   {"<html><script>var __cs=__cs||[]</script>\n<script>__cs.push(['setCsAccount','k'])</script>", head.Already},
		"our code behind charset":   {`<html><script>a</script><meta charset=utf-8><script>__cs.push(["setCsAccount","k"])</script>`, head.Already},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, _ := found(c.page, false)
			require.Equal(t, c.verdict, verdict)
		})
	}
}

func TestPolicies(t *testing.T) {
	var f head.Finder
	f.Reset(false)
	f.Feed([]byte(`<html><base href="//a&amp;b/"><meta http-equiv="Content-Security-Policy" content="script-src &#39;self&#39;">` +
		`<noscript><meta http-equiv="Content-Security-Policy" content="b"></noscript>` +
		`<script>a</script><meta http-equiv="Content-Security-Policy" content="c"><title>d</title>` + strings.Repeat(" ", 1<<10)))
	require.Equal(t, head.Found, f.Settle())
	require.Equal(t, []string{"script-src 'self'"}, f.Policies(), "only those before the place")
	require.Equal(t, "//a&b/", f.Base())

	f.Reset(false)
	f.Feed([]byte(`<html><script>a</script><meta http-equiv="Content-Security-Policy" content="c"><meta charset=utf-8><p>`))
	require.Equal(t, []string{"c"}, f.Policies(), "the place moved behind it")
}

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An operator sees a page as a visitor from an advertisement would: the number is one of the pool's and is
// marked, nobody has it, and neither the page's nodes nor what is counted has changed.
func TestPreviewOfAPage(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	console := p.signedIn(t)
	console.visit(p.console + "/numbers/1/who?address=" + "http%3A%2F%2F" + p.shop[len("http://"):] + "%2F%3Futm_medium%3Dcpc")
	link := value[string](console, `document.querySelector("a[href*=svc_preview]").href`)

	b := newTab(t)
	b.visit(link)
	b.until(`CSS.highlights.get("svc-preview") && CSS.highlights.get("svc-preview").size > 1`)
	require.Equal(t, p.shop+"/?utm_medium=cpc", value[string](b, `location.href`))
	require.Empty(t, value[string](b, `document.referrer`), "the page does not learn of the console")
	require.Equal(t, "74957650011", value[string](b, `Svc.getPhones()[0].raw`))
	require.Contains(t, value[string](b, printedNumbers), "74957650011")
	require.True(t, value[bool](b, `[...CSS.highlights.get("svc-preview")].every(range => range.toString().replace(/\D/g, "").endsWith("4957650011"))`))
	require.Equal(t, 1, value[int](b, `document.documentElement.querySelectorAll(":scope > div").length`), "one element holds the bar")
	b.visit(p.shop + "/contacts.html")
	b.until(`CSS.highlights.get("svc-preview") && CSS.highlights.get("svc-preview").size`)

	// Nobody was there, and the number is still the first one that is given away.
	console.visit(p.console + "/visitors")
	require.Equal(t, 0, value[int](console, `document.querySelectorAll(".rows li").length`))
	visitor := newTab(t)
	visitor.leases(p.shop + "/?utm_medium=cpc")
	require.Equal(t, "74957650011", value[string](visitor, `Svc.getPhones()[0].raw`))

	b.visit(p.shop + "/contacts.html?svc_preview=end")
	b.until(`window.Svc && Svc.getCredentials().hit_id`)
	require.Equal(t, p.shop+"/contacts.html", value[string](b, `location.href`))
	require.Equal(t, 0, value[int](b, `document.documentElement.querySelectorAll(":scope > div").length`))
}

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// printed are the numbers that a page of the shop shows and dials, without what lies between their digits.
const printedNumbers = `[...new Set([...document.querySelectorAll("a[href^='tel:']")].map(a => a.getAttribute("href").replace(/\D/g, "")))].sort().join(" ")`

// Visitors from an advertisement see each another number, in all its writings, and the same on the next page. Who finds
// the pool exhausted sees the number as it is printed.
func TestEachVisitorSeesANumberOfHisOwn(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	var seen []string
	var tabs []*tab
	for range 3 {
		b := newTab(t)
		tabs = append(tabs, b)
		b.leases(p.shop + "/?utm_medium=cpc")
		b.until(`Svc.getDTPhones().length > 0 && Object.keys(Svc.getReplacedPhones("dynamic")).length === 1`)
		raw := value[string](b, `Svc.getPhones()[0].raw`)
		require.Contains(t, []string{"74957650011", "74957650012", "74957650013"}, raw)
		require.NotContains(t, seen, raw)
		seen = append(seen, raw)
		require.True(t, value[bool](b, `Svc.getPhones().every(phone => phone.dt && phone.raw === "`+raw+`")`))
		b.until(printedNumbers + `.includes("` + raw + `") && !` + printedNumbers + `.includes("74951234567")`)
		require.NotContains(t, value[string](b, `document.body.innerText.replace(/[^0-9]/g, "")`), "4951234567")
	}

	exhausted := newTab(t)
	exhausted.visit(p.shop + "/?utm_medium=cpc")
	exhausted.until(`window.Svc && Svc.getCredentials().hit_id`)
	require.Nil(t, value[any](exhausted, `Svc.getDTPhones()`))
	require.Contains(t, value[string](exhausted, printedNumbers), "74951234567")

	// The same visitor, another page.
	tabs[0].visit(p.shop + "/contacts.html")
	tabs[0].until(`window.Svc && Svc.getPhones().length && Svc.getPhones()[0].raw === "` + seen[0] + `"`)
	tabs[0].until(printedNumbers + `.includes("` + seen[0] + `")`)
}

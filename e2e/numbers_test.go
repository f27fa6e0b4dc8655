package e2e

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/charset"
)

var updateNumbers = flag.Bool("update", false, "write testdata/numbers.txt anew, to be read before it is committed")

// blockOfNumbers tells the script what was replaced.
var blockOfNumbers = regexp.MustCompile(`<script type="application/json" data-svc-numbers>[^<]*</script>$`)

// A visitor from the source gets each page of the shop with another number,
// whatever its writing; testdata/numbers.txt lists all that differs from what the
// origin sends, but for the code and the block of data. Everything else is equal
// byte for byte.
func TestNumbersOfTheShopAreReplaced(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	nonce := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	paths := shopFiles(t)
	slices.Sort(paths)
	var report strings.Builder
	for _, path := range paths {
		response, ours := ask(t, http.MethodGet, p.shop+path+"?utm_source=news")
		theirs := get(t, p.origin+path)
		ours, theirs = nonce.ReplaceAllString(ours, "NONCE"), nonce.ReplaceAllString(theirs, "NONCE")
		ours = blockOfNumbers.ReplaceAllString(inserted.ReplaceAllString(ours, ""), "")
		if list := changes(t, path, theirs, ours, response.Header.Get("Content-Type")); list != "" {
			fmt.Fprintf(&report, "%s\n%s\n", path, list)
		}
	}
	if *updateNumbers {
		require.NoError(t, os.WriteFile("testdata/numbers.txt", []byte(report.String()), 0o644))
	}
	want, err := os.ReadFile("testdata/numbers.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), report.String())
}

// These look like the number, or are it where it is not the page's to change.
func TestWhatIsNotTheNumberStays(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	for path, kept := range map[string][]string{
		"/company.html": {
			">774951234567<", ">318774951234567<", ">40802810749512345678<", "certificate 84951234-56", "№ 7495-123456 of", "74 951 234.56",
			"A74951234567, order-84951234567-1", ">+7 (496) 123-45-67<", ">+7 (495) 123-45-68<", "data-svc-noswap>+7 (495) 123-45-67<",
			"\nTelephone +7 (495) 123-45-67\nINN 774951234567</textarea>", "<option>+7 (495) 123-45-67<", "Ring 8 (495) 123-45-67 on Monday.",
		},
		"/":                     {`"telephone": "+7 (495) 123-45-67"`, `<meta property="og:phone_number" content="+7 495 123-45-67">`},
		"/contacts.html":        {`href="tel:+74951234568">+7 (495) 123-45-68<`, `itemprop="telephone">+7 (495) 123-45-67<`, `placeholder="+7 (495) 123-45-67"`},
		"/lamps/alder.html":     {"barcode 4674951234567,", `"telephone": "+74951234567"`},
		"/delivery.html":        {"<code>7495123456789</code>", "<code>NL74951234567RU</code>", "2202&nbsp;7495&nbsp;1234&nbsp;5670"},
		"/guides/bulbs.html":    {`var shopPhone = "+7 (495) 123-45-67"`, "this is the old text, with 8 495 123-45-67 in it -->"},
		"/files/samples.html":   {"+7 (495) 123-45-67"},
		"/files/price-list.txt": {"+7 (495) 123-45-67"},
	} {
		_, page := ask(t, http.MethodGet, p.shop+path+"?utm_source=news")
		for _, text := range kept {
			require.Contains(t, page, text, path)
		}
	}
}

// What a page's script fetches for it shows the number of the page.
func TestFragmentsShowTheNumberOfTheSource(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	entry, _ := ask(t, http.MethodGet, p.shop+"/contacts.html?utm_source=news")
	cookie := sourceCookie(entry)
	require.NotNil(t, cookie)
	response, fragment := ask(t, http.MethodGet, p.shop+"/fragments/hours.html",
		"Cookie", cookie.Name+"="+cookie.Value, "Sec-Fetch-Dest", "empty", "X-Requested-With", "XMLHttpRequest")
	require.Equal(t, strings.Replace(get(t, p.origin+"/fragments/hours.html"), "123-45-67", "765-43-21", 1), fragment)
	require.Equal(t, "private", response.Header.Get("Cache-Control"))
}

// changes lists, line by line of the page, the pieces of text and the attributes'
// values that differ between old and new, with some of what surrounds the change.
func changes(t *testing.T, path, old, changed, contentType string) string {
	t.Helper()
	var list strings.Builder
	encoding, _, _ := charset.DetermineEncoding([]byte(old), contentType)
	oldLines, newLines := strings.Split(old, "\n"), strings.Split(changed, "\n")
	require.Len(t, newLines, len(oldLines), path)
	piece := regexp.MustCompile(`[^<>"]+|[<>"]`)
	for i := range oldLines {
		if oldLines[i] == newLines[i] {
			continue
		}
		before, after := piece.FindAllString(oldLines[i], -1), piece.FindAllString(newLines[i], -1)
		require.Len(t, after, len(before), "line %d of %s: %s", i+1, path, newLines[i])
		for j := range before {
			if before[j] == after[j] {
				continue
			}
			from, err := encoding.NewDecoder().String(before[j])
			require.NoError(t, err)
			to, err := encoding.NewDecoder().String(after[j])
			require.NoError(t, err)
			from, to = shortened(from, to)
			fmt.Fprintf(&list, "\t%d\t%q → %q\n", i+1, from, to)
		}
	}
	return list.String()
}

// shortened leaves of what the two have in common only what is near the change.
func shortened(old, changed string) (string, string) {
	const before, behind = 40, 12
	a, b := []rune(old), []rune(changed)
	common := 0
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	cut := max(0, common-before)
	a, b = a[cut:], b[cut:]
	common = 0
	for common < min(len(a), len(b)) && a[len(a)-1-common] == b[len(b)-1-common] {
		common++
	}
	cut = max(0, common-behind)
	return string(a[:len(a)-cut]), string(b[:len(b)-cut])
}

// ask sends a request as a browser that opens a page; headers are pairs of name
// and value.
func ask(t *testing.T, method, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	require.NoError(t, err)
	request.Header.Set("Accept", "text/html,*/*;q=0.8")
	request.Header.Set("Sec-Fetch-Dest", "document")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

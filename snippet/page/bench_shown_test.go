package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// pool is three printed numbers, each with 50 tracking numbers.
func pool(t testing.TB) *snippet.Printed {
	var numbers []snippet.Number
	for i := range 3 {
		n := snippet.Number{Digits: fmt.Sprint(74951234567 + i), Targets: []string{fmt.Sprint(".phone", i)}}
		for k := range 50 {
			n.Tracking = append(n.Tracking, snippet.Tracking{Digits: fmt.Sprint(74957650000 + 100*i + k)})
		}
		numbers = append(numbers, n)
	}
	printed, err := snippet.NewPrinted(numbers, false)
	require.NoError(t, err)
	return printed
}

// choice is the nth of 125,000 different ones.
func choice(n int) []string {
	var digits []string
	for i := range 3 {
		digits = append(digits, fmt.Sprint(74957650000+100*i+n%50))
		n /= 50
	}
	return digits
}

// poolPage shows the three numbers, 10 KB around them.
var poolPage = []byte("<!doctype html><html><head><meta charset=utf-8><title>a</title></head><body><p>+7 495 123-45-67</p><p>8 (495) 123-45-68</p>" +
	strings.Repeat("<p>text and more text</p>\n", 400) + "<b class=phone2>84951234569</b></body></html>")

func servePool(t testing.TB, c *snippet.Code, w http.ResponseWriter, r *http.Request, shown snippet.Shown) {
	result, err := page.Serve(c, w, r, page.Visit{Shown: shown, ByCookie: true}, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header()["Content-Type"] = []string{"text/html"}
		_, err := w.Write(poolPage)
		return err
	})
	if err != nil || result.Outcome != page.Woven {
		t.Fatal(result.Outcome, err)
	}
}

// BenchmarkManyChoices serves a page to visitors with as many different choices of
// three tracking numbers: each page with what is made for its visitor.
func BenchmarkManyChoices(b *testing.B) {
	c, printed := code(b), pool(b)
	w, r := &drain{make(http.Header)}, httptest.NewRequest("GET", "/", nil)
	for _, choices := range []int{1, 10_000} {
		b.Run(fmt.Sprint(choices), func(b *testing.B) {
			digits := make([][]string, choices)
			for i := range digits {
				digits[i] = choice(i * 7)
			}
			b.SetBytes(int64(len(poolPage)))
			b.ReportAllocs()
			before := liveHeap()
			for i := 0; b.Loop(); i++ {
				clear(w.header)
				servePool(b, c, w, r, printed.Show(digits[i%choices], snippet.ForSource))
			}
			b.ReportMetric((liveHeap()-before)/1024, "KB-kept")
			runtime.KeepAlive(digits)
		})
	}
}

// liveHeap is how many bytes are in use.
func liveHeap() float64 {
	runtime.GC()
	runtime.GC() // what pools let go at the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// Visitors with choices of their own leave nothing behind, and each sees his own.
func TestManyChoices(t *testing.T) {
	c, printed := code(t), pool(t)
	serve := func(from, to int) {
		for n := from; n < to; n++ {
			digits := choice(n)
			w := httptest.NewRecorder()
			servePool(t, c, w, get("/"), printed.Show(digits, snippet.ForVisitor))
			body := w.Body.String()
			for _, d := range digits {
				require.Contains(t, body, `"raw":"`+d+`"`)
			}
			require.Contains(t, body, "<p>+7 495 "+digits[0][4:7]+"-"+digits[0][7:9]+"-"+digits[0][9:]+"</p>")
			require.Contains(t, body, "<b class=phone2>8"+digits[2][1:]+"</b>")
		}
	}
	serve(0, 1000)
	before := liveHeap()
	serve(1000, 11_000)
	require.Less(t, liveHeap()-before, float64(256<<10), "10,000 choices keep nothing")
}

package head_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

const mark = "\x00CODE\x00"

// woven streams the pieces of a page as a writer does, and holds back no more than it must. It returns the verdict and
// the output.
func woven(t testing.TB, f *head.Finder, pieces [][]byte) (head.Verdict, string) {
	f.Reset(false)
	var out strings.Builder
	var held []byte
	verdict := head.Undecided
	for _, piece := range append(pieces, nil) {
		if verdict != head.Undecided {
			out.Write(piece)
			continue
		}
		held = append(held, piece...)
		if verdict = f.Feed(piece); piece == nil && verdict == head.Undecided {
			verdict = f.Finish()
		}
		n := len(held)
		switch sent := int64(out.Len()); verdict {
		case head.Undecided:
			n = int(f.Passed() - sent)
			require.LessOrEqual(t, len(held)-n, 9<<10, "too much is held back")
		case head.Found:
			at := int(f.Place() - sent)
			out.Write(held[:at])
			out.WriteString(mark)
			held, n = held[at:], len(held)-at
		}
		out.Write(held[:n])
		held = held[n:]
	}
	require.Empty(t, held)
	return verdict, out.String()
}

func whole(page string) [][]byte { return [][]byte{[]byte(page)} }

// corpus are pages in which cuts are hard to handle.
var corpus = []string{
	"",
	"\ufeff<!doctype html>\n<html><head><meta charset=utf-8><title>a &lt; b</title><script>c</script></head><body>d",
	"<html>&#9", "<html>&#x00000000000000000000009;<head>", "<html> &#x0a;&Tab;<head>&#00032 <title>", "<html>&#<!-- -->9<head>", "<html></head>&#13;<frameset>", "<html>&#99;<head>", "<html>&#9abc<head>", "<html>&Tab<head>",
	"\xef\xbb<html>", "\xff\xfe<\x00h\x00", "\x00\x00\xfe\xff", "\x00\x00<html><head>",
	"<?xml version='1.0'?><!-- a --- b --!> <!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"a>b\"><html><p>",
	"<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Frameset//EN\"><head><script>",
	"<!doctyp html><html></head><!-- a --><frameset>", "<!-><!--><!---><!--a--!><html><![CDATA[<script>]]><head>",
	"<html data-a=\"</head><script>\" b='<script>' c=<script> d = e f/g/><head/><link rel=a><meta name=\"a\" content='b'/></head><body>",
	"<html><title><script></titl</title\n x='>'><style><!--</style x></style><noscript><meta charset=a></noscript><script src=a></script>",
	"<html><script>a<!-- <script> b </script> --> c</script><meta http-equiv=\"Content-Type\" content=\"text/html; charset='koi8-r'\"><script>__cs=[]</script>",
	"<html><script>a<!-- <script </script> <script> </script> -- ></script><!--></script><meta charset=utf-8><title>a",
	"<html><script>a<!--></script><meta charset=iso-2022-jp>", "<html><script>a</script><meta charset=utf-8><script>__cs.push(['setCsAccount'])</script>",
	"<html><script>var __cs = []</script> <!-- a --> <script async>__cs.push(['setAccount','a'])</script>",
	"<html><script>var __cs = []</script><script src='/a/svc.js?k=b#c'></script>", "<html><script data-svc type=application/json>{}</script>",
	"<html><template><template><script></template></template><script>", "<html><body><svg><![CDATA[<meta charset=utf-8>]]><title><meta charset=utf-8></title></svg><meta charset=utf-8>",
	"<html><math><mi><svg><desc></svg></mi><![CDATA[</math>]]></math><meta charset=utf-8><p>", "<html><plaintext><meta charset=a>", "<html></p></ ></><//><a",
	"<html><base href='//a/'><meta http-equiv=content-security-policy content=\"script-src &#39;self&#39;\"><script>", "<p><html>", "<html><titl", "<html><title>a</ti",
	"<html>" + strings.Repeat(" ", 1000) + "<script>a</script><meta charset=utf-8>", "<html>" + strings.Repeat(" ", 990) + "<script></script><meta charset=utf-8>",
	"<html><script>" + strings.Repeat("a", 1005) + "</script><meta charset=utf-8>", "<html><a" + strings.Repeat("a", 40) + ">", "<html><title>\xff\x00</title>\x00",
	"<html></head>" + strings.Repeat("<!-- a -->", 50) + "<frameset>", "<html><script src=\"" + strings.Repeat("a", 300) + "/svc.js\">",
}

func TestEveryCutGivesTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var f, g head.Finder
	for _, page := range corpus {
		verdict, want := woven(t, &f, whole(page))
		require.Equal(t, page, strings.Replace(want, mark, "", 1))
		for i := range len(page) + 1 {
			v, got := woven(t, &g, [][]byte{[]byte(page[:i]), []byte(page[i:])})
			require.Equal(t, verdict, v, "%.200q cut at %d", page, i)
			require.Equal(t, want, got, "%.200q cut at %d", page, i)
		}
		for range 200 {
			v, got := woven(t, &g, pieces(page, random))
			require.Equal(t, verdict, v, "%.200q", page)
			require.Equal(t, want, got, "%.200q", page)
		}
		v, got := woven(t, &g, each(page))
		require.Equal(t, verdict, v, "%.200q", page)
		require.Equal(t, want, got, "%.200q", page)
	}
}

// pieces cuts a page at random places, also into empty pieces.
func pieces(page string, random *rand.Rand) [][]byte {
	var all [][]byte
	longest := 1 + random.IntN(1+min(len(page), 1+random.IntN(600)))
	for page != "" {
		n := min(random.IntN(longest+1), len(page))
		all = append(all, []byte(page[:n]))
		page = page[n:]
	}
	return all
}

// each cuts a page into its bytes.
func each(page string) [][]byte {
	all := make([][]byte, len(page))
	for i := range all {
		all[i] = []byte{page[i]}
	}
	return all
}

func TestLongLooksAreTheSameForEveryCut(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var f, g head.Finder
	for _, page := range []string{
		"<html></head><!--" + strings.Repeat("a", 20<<10) + "--><frameset>",
		"<html><script>" + strings.Repeat("a", 20<<10) + "__cs setCsAccount</script>",
		"<html><script>" + strings.Repeat("a", 4090) + "__cs setCsAccount</script>",
		"<html><script src='" + strings.Repeat("a", 8200) + "/svc.js'></script>",
		"<html><script>a</script><meta " + strings.Repeat("a", 9000) + " charset=utf-8><p>",
		"<html><script>a</script><meta " + strings.Repeat("a", 2000) + " charset=utf-8><p>",
		"<html><meta http-equiv=content-security-policy content='" + strings.Repeat("a", 10000) + "'><p>",
	} {
		verdict, want := woven(t, &f, whole(page))
		for range 50 {
			v, got := woven(t, &g, pieces(page, random))
			require.Equal(t, verdict, v, "%.100q", page)
			require.Equal(t, want, got, "%.100q", page)
		}
		v, got := woven(t, &g, each(page))
		require.Equal(t, verdict, v, "%.100q", page)
		require.Equal(t, want, got, "%.100q", page)
	}
}

func FuzzWeave(f *testing.F) {
	for _, page := range corpus {
		f.Add([]byte(page), uint64(len(page)))
	}
	f.Add([]byte("<html>&#"+strings.Repeat("0", 20_000)+"9<head>"), uint64(1)) // zeros are not kept
	var one, other head.Finder
	f.Fuzz(func(t *testing.T, page []byte, seed uint64) {
		if strings.Contains(string(page), mark) {
			return
		}
		verdict, want := woven(t, &one, whole(string(page)))
		require.Equal(t, string(page), strings.Replace(want, mark, "", 1))
		require.Equal(t, verdict == head.Found, len(want) > len(page))
		v, got := woven(t, &other, pieces(string(page), rand.New(rand.NewPCG(seed, 0))))
		require.Equal(t, verdict, v)
		require.Equal(t, want, got)
	})
}

func TestFinderTakesNoMemoryOncePooled(t *testing.T) {
	page := []byte(corpus[1])
	var f head.Finder
	require.Zero(t, testing.AllocsPerRun(100, func() {
		f.Reset(false)
		if f.Feed(page) != head.Found {
			t.Error("there is a place")
		}
	}))
}

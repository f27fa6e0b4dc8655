package command

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRewriteCommandWithNumbers(t *testing.T) {
	input := "<!doctype html>\n<p>8 (495) 123-45-67\n<a href=\"tel:+74951234567\">call</a>\n<p>8 800 555-35-35\n"
	output, err := command(t, input, "rewrite", "--number", "+7 (495) 123-45-67=74957654321", "--number", "78005553535=78005553536")
	require.NoError(t, err)
	require.Equal(t, `--- -
+++ -, as it is shown
@@ -2,3 +2,3 @@
-<p>8 (495) 123-45-67
-<a href="tel:+74951234567">call</a>
-<p>8 800 555-35-35
+<p>8 (495) 765-43-21
+<a href="tel:+74957654321">call</a>
+<p>8 800 555-35-36
`, output)
	output, err = command(t, input, "rewrite", "--number", "74951234567=74957654321", "--html")
	require.NoError(t, err)
	require.Equal(t, strings.NewReplacer("8 (495) 123-45-67", "8 (495) 765-43-21", "+74951234567", "+74957654321").Replace(input), output)
	output, err = command(t, "<p>none", "rewrite", "--number", "74951234567=74957654321")
	require.NoError(t, err)
	require.Equal(t, "nothing changes\n", output)
}

// A page stays in its encoding, and its differences are shown in the terminal's.
func TestRewriteCommandInAnotherEncoding(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=windows-1251")
		w.Write([]byte("<p>\xd2\xe5\xeb\xe5\xf4\xee\xed:\xa08\xa0(495)\xa0123-45-67"))
	}))
	t.Cleanup(server.Close)
	output, err := command(t, "", "rewrite", "--number", "74951234567=74957654321", server.URL)
	require.NoError(t, err)
	require.Contains(t, output, "-<p>Телефон:\u00a08\u00a0(495)\u00a0123-45-67\n+<p>Телефон:\u00a08\u00a0(495)\u00a0765-43-21\n")
	output, err = command(t, "", "rewrite", "--number", "74951234567=74957654321", "--html", server.URL)
	require.NoError(t, err)
	require.Equal(t, "<p>\xd2\xe5\xeb\xe5\xf4\xee\xed:\xa08\xa0(495)\xa0765-43-21", output)
}

func TestRewriteCommandWithAConfiguration(t *testing.T) {
	file := configuration(t, `
		{
			admin 127.0.0.1:1
			frontdesk {
				database sqlite $DIR/frontdesk.db
			}
		}
		http://shop.example:8080, http://lamps.example:8080 {
			frontdesk {
				number 74951234567 {
					static 74957654321 utm_source=news*
					static 74957654322 referrer=*.google.*
				}
				prerender static
			}
		}
		http://repair.example:8080 {
			frontdesk repair {
				number 78005553535 {
					static 78005553536
				}
			}
		}`)
	input := "<!doctype html>\n<p>8 (495) 123-45-67, 8 800 555-35-35\n"
	for name, c := range map[string]struct {
		args     []string
		expected string
	}{
		"by campaign":            {[]string{"--url", "https://shop.example/?utm_source=newsletter"}, "+<p>8 (495) 765-43-21, 8 800 555-35-35\n"},
		"by referrer":            {[]string{"--url", "https://Lamps.example/", "--referrer", "https://www.google.com/"}, "+<p>8 (495) 765-43-22, "},
		"by key":                 {[]string{"--site", "shop.example", "--url", "/?utm_source=news"}, "+<p>8 (495) 765-43-21, "},
		"nobody's source":        {[]string{"--url", "https://shop.example/"}, "nothing changes\n"},
		"a site that waits":      {[]string{"--site", "repair"}, "repair replaces no numbers on the server"},
		"a site that waits, too": {[]string{"--site", "repair"}, "+<p>8 (495) 123-45-67, 8 800 555-35-36\n"},
	} {
		t.Run(name, func(t *testing.T) {
			output, err := command(t, input, append([]string{"rewrite", "--config", file}, c.args...)...)
			require.NoError(t, err)
			require.Contains(t, output, c.expected)
		})
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*frontdesk*"))
	require.NoError(t, err)
	require.Empty(t, left, "nothing is made")

	everybody := configuration(t, `
		http://:8080 {
			frontdesk {host} {
				number 74951234567 {
					static 74957654321 kind=direct
				}
				prerender static
			}
		}
		http://localhost:8081 {
			frontdesk repair
		}`)
	output, err := command(t, input, "rewrite", "--config", everybody, "--url", "https://any.example/")
	require.NoError(t, err)
	require.Contains(t, output, "+<p>8 (495) 765-43-21")
	_, err = command(t, input, "rewrite", "--config", everybody, "--site", "repair")
	require.ErrorContains(t, err, "no site has numbers")

	none := configuration(t, "http://localhost:8080 {\n\tfrontdesk shop\n}")
	other := configuration(t, "http://localhost:8080 {\n\trespond hello\n}")
	ports := configuration(t, "http://localhost:8080 {\n\tfrontdesk a {\n\t\tnumber 74951234567\n\t}\n}\nhttp://localhost:8081 {\n\tfrontdesk b {\n\t\tnumber 74951234567\n\t}\n}")
	for name, refused := range map[string]struct {
		args     []string
		expected string
	}{
		"nothing":            {nil, "give --config FILE, or --number SHOWN=REPLACEMENT"},
		"which site":         {[]string{"-c", file}, "expected --site with one of lamps.example, repair, shop.example"},
		"no such site":       {[]string{"-c", file, "--site", "toys"}, `site "toys" has no numbers: expected one of lamps.example`},
		"two on a host":      {[]string{"-c", ports, "--url", "http://localhost:8081/"}, "the host localhost has several sites: expected --site with one of a, b"},
		"no such host":       {[]string{"-c", file, "--url", "https://toys.example/"}, "the host toys.example has no numbers: expected --site, or an address on one of lamps.example, repair.example, shop.example"},
		"no numbers":         {[]string{"-c", none}, "no site has numbers: expected number in a site's frontdesk, or --number"},
		"no frontdesk":       {[]string{"-c", other}, "does not use frontdesk"},
		"no configuration":   {[]string{"-c", file + ".none"}, "no such file"},
		"no scheme":          {[]string{"-c", file, "--url", "shop.example/?utm_source=news"}, "expected one that begins with https:// or http://, or a path"},
		"a wrong address":    {[]string{"-c", file, "--url", "http://[/"}, "reading the visitor's address"},
		"no pair":            {[]string{"--number", "74951234567"}, `number "74951234567": expected a printed number and its replacement`},
		"no number":          {[]string{"--number", "112=74957654321"}, "not a complete international number"},
		"a number and a url": {[]string{"--number", "74951234567=74957654321", "--url", "/"}, "none of the others can be"},
		"no page":            {[]string{"--number", "74951234567=74957654321", "nowhere.html"}, "reading nowhere.html: no such file"},
		"two pages":          {[]string{"a", "b"}, "accepts at most 1 arg"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := command(t, input, append([]string{"rewrite"}, refused.args...)...)
			require.ErrorContains(t, err, refused.expected)
		})
	}
}

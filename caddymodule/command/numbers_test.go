package command

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/survey"
)

func TestNumbersCommand(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "index.html"), filepath.Join(dir, "contacts.html")
	require.NoError(t, os.WriteFile(first, []byte(`<p>8 (495) 123-45-67 <a href="tel:+74951234567">+7 495 123-45-67</a>`), 0o600))
	require.NoError(t, os.WriteFile(second, []byte(`<p>8&nbsp;(495) <b>123</b>-45-67, 8 800 555-35-35 <a href="tel:+15550100000">call</a>`), 0o600))
	output, err := command(t, "", "numbers", "--region", "ru", first, second)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(`NUMBER       WRITING            PLACE  COUNT  PAGES
74951234567  8 (495) 123-45-67  text   2      $DIR/index.html and 1 more
             +74951234567       tel    1      
             +7 495 123-45-67   text   1      
15550100000  +15550100000       tel    1      $DIR/contacts.html (no such number in the country's plan)
78005553535  8 800 555-35-35    text   1      $DIR/contacts.html
`, "$DIR", dir), output)

	output, err = command(t, "<p>8 (495) 123-45-67", "numbers", "-")
	require.NoError(t, err)
	require.Contains(t, output, "no numbers found: are they written without their country code?")
	output, err = command(t, "<p>none", "numbers", "-", "--region=RU")
	require.NoError(t, err)
	require.Equal(t, "no numbers found\n", output)
	output, err = command(t, "<p>+7 495 123-45-67"+strings.Repeat(" ", survey.MaxPage), "numbers", "-")
	require.NoError(t, err)
	require.Contains(t, output, "-: only the first 1048576 bytes were read\n")
	require.Contains(t, output, "74951234567")
}

func TestNumbersOfAnAddress(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=windows-1251")
			w.Write([]byte("<p>\xd2\xe5\xeb\xe5\xf4\xee\xed:\xa08\xa0(495)\xa0123-45-67"))
		case "/elsewhere":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/price.pdf":
			w.Header().Set("Content-Type", "application/pdf")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	output, err := command(t, "", "numbers", "--region", "RU", server.URL+"/")
	require.NoError(t, err)
	require.Contains(t, output, "74951234567  8 (495) 123-45-67  text   1      "+server.URL+"/\n")

	// What can be read is listed, and the rest is said.
	output, err = command(t, "", "numbers", "--region", "RU", server.URL+"/nowhere", server.URL+"/")
	require.ErrorContains(t, err, "reading "+server.URL+"/nowhere: the server answered 404 Not Found")
	require.Contains(t, output, "74951234567")

	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, refused := range map[string]struct {
		args     []string
		expected string
	}{
		"no page":          {nil, "expected a page"},
		"no such file":     {[]string{"nowhere.html"}, "reading nowhere.html: no such file"},
		"a folder":         {[]string{t.TempDir()}, "is a directory"},
		"another scheme":   {[]string{"ftp://shop.example/"}, "reading ftp://shop.example/: expected an address that begins with http:// or https://"},
		"a wrong address":  {[]string{"http://[/"}, "missing ']'"},
		"nobody there":     {[]string{closed.URL}, "refused"},
		"another redirect": {[]string{server.URL + "/elsewhere"}, "unsupported protocol scheme"},
		"no page either":   {[]string{server.URL + "/price.pdf"}, `the server answered with "application/pdf": expected a page`},
		"no region":        {[]string{"-", "--region", "Russia"}, `region "Russia": expected the two letters of a country`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := command(t, "", append([]string{"numbers"}, refused.args...)...)
			require.ErrorContains(t, err, refused.expected)
		})
	}
}

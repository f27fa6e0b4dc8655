package e2e

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The filter of fail2ban that the documentation has finds the failures in the log of the running program, and nothing else.
func TestFilterOfFailedSignInsFindsThem(t *testing.T) {
	t.Parallel()
	const block = "\tfrontdesk {\n"
	config := example(t)
	require.Contains(t, config, block)
	docs, err := os.ReadFile("../docs/hosting.md")
	require.NoError(t, err)
	require.Contains(t, string(docs), "addresses whole")
	p := runProgram(t, strings.Replace(config, block, block+"\t\taddresses whole\n", 1), "")
	p.signedIn(t)
	send := func(path string, status int, fields url.Values) {
		t.Helper()
		response, err := http.PostForm(p.console+path, fields)
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, status, response.StatusCode)
	}
	forged := `","msg":"sign-in failed","address":"192.0.2.66"}`
	send("/sign-in", http.StatusUnauthorized, url.Values{"login": {forged}, "password": {forged}})
	send("/sign-in", http.StatusUnauthorized, url.Values{"login": {"vera"}, "password": {"a wrong password"}})
	send("/password", http.StatusForbidden, url.Values{"token": {forged}, "password": {"a wrong password"}})
	response, err := http.Get(p.console + "/nowhere?" + url.QueryEscape(forged))
	require.NoError(t, err)
	response.Body.Close()

	line := regexp.MustCompile(`(?m)^failregex = (.+)$`).FindSubmatch(docs)
	require.NotNil(t, line, "docs/hosting.md has a filter")
	date := regexp.MustCompile(`(?m)^datepattern = (.+)$`).FindSubmatch(docs)
	require.NotNil(t, date)
	// fail2ban takes the date out of a line, and puts an expression of its own for an address.
	filter := regexp.MustCompile(strings.Replace(string(line[1]), "<ADDR>", `([0-9a-fA-F.:]+)`, 1))
	dated := regexp.MustCompile(strings.Replace(string(date[1]), "{EPOCH}", `\d{10}(?:\.\d+)?`, 1))
	found := func() (addresses []string) {
		for text := range strings.Lines(p.log.String()) {
			text = strings.TrimRight(text, "\n")
			if match := filter.FindStringSubmatch(dated.ReplaceAllString(text, "")); match != nil {
				require.Regexp(t, dated, text)
				addresses = append(addresses, match[1])
			}
		}
		return addresses
	}
	p.await(t, func() bool { return len(found()) == 3 })
	for _, address := range found() {
		require.Contains(t, []string{"127.0.0.1", "::1"}, address)
	}
	require.NotContains(t, p.log.String(), "a wrong password")
}

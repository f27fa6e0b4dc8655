package command

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTokenCommands(t *testing.T) {
	file := configuration(t, option)
	do := func(args ...string) string {
		t.Helper()
		output, err := command(t, "", append([]string{"token"}, append(args, "-c", file)...)...)
		require.NoError(t, err, output)
		return output
	}
	require.Regexp(t, `^frontdesk_[A-Z2-7]{26}\n$`, do("add", "Our CRM", "--scope", "leads:read", "--scope", "sites:read", "--days", "7"))
	list := do("list")
	number := regexp.MustCompile(`(?m)^(\d+) +Our CRM +leads:read, sites:read +all +\d{4}-\d\d-\d\d +never +command$`).FindStringSubmatch(list)
	require.NotNil(t, number, list)
	require.Contains(t, do("revoke", number[1]), "opens nothing any more")
	require.Equal(t, 1, strings.Count(do("list"), "\n"))

	for expected, args := range map[string][]string{
		"a token opens one of these at least: leads:read, leads:write, ": {"add", "CRM"},
		"a token lasts 1 to 1825 days":                                   {"add", "CRM", "--scope", "leads:read", "--days", "0"},
		`site "shop.example": the site is not known`:                     {"add", "CRM", "--scope", "leads:read", "--site", "shop.example"},
		"there is no such token":                                         {"revoke", number[1]},
		"expected the number of a token":                                 {"revoke", "Our CRM"},
	} {
		_, err := command(t, "", append([]string{"token"}, append(args, "-c", file)...)...)
		require.ErrorContains(t, err, expected)
	}
}

package frontdesk

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wordRow is a row of the first table of docs/words.md: a word, what it is, where.
var (
	wordRow  = regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$`)
	typeName = regexp.MustCompile(`^[a-z]+\.[A-Z]`) // of a package
	backtick = regexp.MustCompile("`([^`]+)`")
)

// What docs/words.md says of where a word is at home is there: a folder or a file, or a name in one.
func TestWordsAreWhereTheyAreSaidToBe(t *testing.T) {
	page, err := os.ReadFile("docs/words.md")
	require.NoError(t, err)
	found := 0
	for _, row := range wordRow.FindAllStringSubmatch(string(page), -1) {
		for _, where := range backtick.FindAllStringSubmatch(row[2], -1) {
			found++
			place := where[1]
			if folder, name := filepath.Split(place); typeName.MatchString(name) {
				place = folder + name[:strings.IndexByte(name, '.')]
			}
			_, err := os.Stat(filepath.FromSlash(place))
			assert.NoError(t, err, "%s is said to be in %s", row[1], where[1])
		}
	}
	require.Greater(t, found, 50)
}

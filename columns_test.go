package frontdesk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// several is a comparison of several columns with bare values.
var several = regexp.MustCompile("\\(\\w[\\w.]*(, \\w[\\w.]*)+\\) (NOT )?IN \\((VALUES|`\\s*\\+\\s*values)")

// What is looked for by several columns stands in a query of its own: db.Among says why.
func TestSeveralColumnsAreNotComparedWithBareValues(t *testing.T) {
	require.Regexp(t, several, "(site_id, id) IN (`+values+`)")
	read := 0
	eachProgram(t, parser.ImportsOnly, func(name string, _ *token.FileSet, _ *ast.File) {
		program, err := os.ReadFile(name)
		require.NoError(t, err)
		read++
		require.NotRegexp(t, several, string(program), name)
	})
	require.Greater(t, read, 100)
}

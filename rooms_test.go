package frontdesk

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

var (
	roomsTable  = regexp.MustCompile(`(?m)^\| room \|.*\n(\|.*\n)+`)
	levelsTable = regexp.MustCompile(`(?m)^\| level \|.*\n(\|.*\n)+`)
)

// TestRoomsAreDocumented holds the tables of rooms in docs/architecture.md to what the packages say of themselves, to
// mayImport, and to what is imported. "go test . -run TestRooms -write" writes them.
func TestRoomsAreDocumented(t *testing.T) {
	const page = "docs/architecture.md"
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	written := content
	for table, now := range map[*regexp.Regexp]string{roomsTable: roomsOf(t), levelsTable: levelsOf(t)} {
		require.Len(t, table.FindAll(content, -1), 1)
		written = table.ReplaceAllLiteral(written, []byte(now))
	}
	if *write {
		require.NoError(t, os.WriteFile(page, written, 0o644))
		return
	}
	require.Equal(t, string(written), string(content), "write the tables by: go test . -run TestRooms -write")
}

// levelsOf is the table of who imports whom: a room imports rooms below it alone. What stands beside the product, such as
// tests and generators, is left out.
func levelsOf(t *testing.T) string {
	t.Helper()
	imports := importsByFolder(t)
	known := make(map[string]int)
	var levelOf func(room string) int
	levelOf = func(room string) (level int) {
		if level, is := known[room]; is {
			return level
		}
		defer func() { known[room] = level }()
		for _, name := range imports[room] {
			if inside, ok := strings.CutPrefix(name+"/", module+"/"); ok && path.Clean(inside) != room {
				level = max(level, 1+levelOf(path.Clean(inside)))
			}
		}
		return level
	}
	levels := make(map[int][]string)
	for room := range imports {
		if _, beside := ruleOf(room); !beside && !strings.HasSuffix(room, "test") && !slices.Contains([]string{"build", "crawlers"}, path.Base(room)) {
			levels[levelOf(room)] = append(levels[levelOf(room)], room)
		}
	}
	var table strings.Builder
	table.WriteString("| level | rooms |\n| ---: | --- |\n")
	for level := len(levels) - 1; level >= 0; level-- {
		slices.Sort(levels[level])
		fmt.Fprintf(&table, "| %d | %s |\n", level, strings.ReplaceAll("`"+strings.Join(levels[level], "`, `")+"`", "`.`", "`frontdesk.go`"))
	}
	return table.String()
}

// roomsOf is the table: each room, the first sentence of its package's documentation, and what it may import.
func roomsOf(t *testing.T) string {
	t.Helper()
	says := make(map[string]string)
	eachProgram(t, parser.PackageClauseOnly|parser.ParseComments, func(name string, _ *token.FileSet, parsed *ast.File) {
		if sentence := new(doc.Package).Synopsis(parsed.Doc.Text()); sentence != "" {
			says[path.Dir(name)] = sentence
		}
	})
	var table strings.Builder
	table.WriteString("| room | what it does | may import |\n| --- | --- | --- |\n")
	for _, room := range slices.Sorted(maps.Keys(says)) {
		_, sentence, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(says[room], "Package "), "Command "), " ")
		first, size := utf8.DecodeRuneInString(sentence)
		name := room
		if room == "." {
			name = "frontdesk.go"
		}
		fmt.Fprintf(&table, "| `%s` | %c%s | %s |\n", name, unicode.ToUpper(first), sentence[size:], importsOf(room))
	}
	return table.String()
}

// importsOf is what the room may import, the names of each tree behind one another.
func importsOf(room string) string {
	rule, beside := ruleOf(room)
	if beside {
		return "all"
	}
	inside := make(map[string][]string)
	var trees []string
	for _, imported := range mayImport[rule] {
		if imported == room {
			continue
		}
		tree, rest, _ := strings.Cut(imported, "/")
		if inside[tree] == nil {
			trees = append(trees, tree)
		}
		switch rest {
		case "":
			rest = "itself"
		case "...":
			rest = "all"
		}
		inside[tree] = append(inside[tree], rest)
	}
	slices.Sort(trees)
	for i, tree := range trees {
		names := inside[tree]
		slices.Sort(names)
		switch {
		case tree == ".":
			trees[i] = "`frontdesk.go`"
		case len(names) == 1 && names[0] == "itself":
			trees[i] = "`" + tree + "`"
		default:
			trees[i] = "`" + tree + "`: " + strings.Join(names, ", ")
		}
	}
	if len(trees) == 0 {
		return "–"
	}
	return strings.Join(trees, "; ")
}

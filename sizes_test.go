package frontdesk

import (
	"flag"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// limits are what one can hold in mind (tests are not counted). A room is a folder.
var limits = map[string]int{
	"room":     1600, // lines of Go
	"type":     35,   // methods
	"function": 80,   // lines
	"file":     300,  // lines of Go, of TypeScript or of the console's JavaScript
}

const exceptions = "testdata/larger.txt"

var write = flag.Bool("write", false, "write the lists and tables that these tests hold")

// TestSizes holds rooms, types, functions and files to the limits. testdata/larger.txt lists what is larger all the same,
// each with its size and the reason. A size there may only fall. "go test . -run TestSizes -write" writes what has fallen
// by more than a tenth, and takes out what is within its limit.
func TestSizes(t *testing.T) {
	found := sizes(t)
	content, err := os.ReadFile(exceptions)
	require.NoError(t, err)
	excepted := make(map[string]bool)
	var kept []string
	for line := range strings.Lines(string(content)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		require.Len(t, parts, 4, "%s: expected kind, name, size and reason", line)
		name, size := parts[0]+" "+parts[1], found[parts[0]+" "+parts[1]]
		allowed, err := strconv.Atoi(parts[2])
		require.NoError(t, err, line)
		excepted[name] = true
		switch {
		case size > allowed+allowed/100: // an import more is no growth
			t.Errorf("%s has %d, and had %d: expected it to fall to %d", name, size, allowed, limits[parts[0]])
		case size <= limits[parts[0]]:
			if !*write {
				t.Errorf("%s has %d: take it off %s", name, size, exceptions)
			}
			continue
		case size < allowed*9/10:
			if !*write {
				t.Errorf("%s has %d: write that instead of %d", name, size, allowed)
			}
			parts[2] = strconv.Itoa(size)
		}
		kept = append(kept, strings.Join(parts, " ")+"\n")
	}
	for name, size := range found {
		if kind, _, _ := strings.Cut(name, " "); size > limits[kind] && !excepted[name] {
			t.Errorf("%s has %d: expected %d at most for a %s; divide it", name, size, limits[kind], kind)
		}
	}
	if *write {
		require.NoError(t, os.WriteFile(exceptions, []byte(strings.Join(kept, "")), 0o644))
	}
}

// sizes are those of all rooms, files, functions and types with methods.
func sizes(t *testing.T) map[string]int {
	t.Helper()
	found := make(map[string]int)
	eachProgram(t, 0, func(name string, files *token.FileSet, parsed *ast.File) {
		folder := path.Dir(name)
		lines := files.File(parsed.FileStart).LineCount() - 1
		found["file "+name] = lines
		found["room "+folder] += lines
		for _, declared := range parsed.Decls {
			f, is := declared.(*ast.FuncDecl)
			if !is {
				continue
			}
			called := folder + "." + f.Name.Name
			if of := receiver(f); of != "" {
				found["type "+folder+"."+of]++
				called = folder + "." + of + "." + f.Name.Name
			}
			found["function "+called] = files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1
		}
	})
	for name, lines := range scripts(t) {
		found["file "+name] = lines
	}
	require.Contains(t, found, "type backend/db.DB")
	return found
}

// receiver is the type that has the method; empty for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	for {
		switch kind := of.(type) {
		case *ast.StarExpr:
			of = kind.X
		case *ast.IndexExpr:
			of = kind.X
		case *ast.IndexListExpr:
			of = kind.X
		case *ast.Ident:
			return kind.Name
		}
	}
}

// scripts are the lines of what browsers run, as it is written.
func scripts(t *testing.T) map[string]int {
	t.Helper()
	found := make(map[string]int)
	for _, tree := range []string{"snippet/browser", "backend/console"} {
		require.NoError(t, filepath.WalkDir(tree, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && slices.Contains([]string{"node_modules", "dist", "testdata"}, entry.Name()) {
				return filepath.SkipDir
			}
			if extension := path.Ext(name); entry.IsDir() || extension != ".ts" && extension != ".js" {
				return nil
			}
			content, err := os.ReadFile(name)
			found[filepath.ToSlash(name)] = strings.Count(string(content), "\n")
			return err
		}))
	}
	require.NotEmpty(t, found)
	return found
}

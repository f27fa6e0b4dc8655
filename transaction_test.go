package frontdesk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// workers are the functions and methods of libraries that take the longer, the longer a text is. A name with a point at
// its end is a whole package.
var workers = []string{
	"json.", "xml.", "base64.", "sha256.", "fnv.", "db.Hash", "norm.", "html.", "url.", "phonenumbers.", "csv.", "regexp.",
	"strings.ToLower", "strings.ToUpper", "strings.Map", "strings.Fields", "strings.FieldsFunc", "strings.FieldsSeq", "strings.ToValidUTF8",
	"strings.ReplaceAll", "strings.NewReplacer", "strings.Split", "strings.SplitSeq", "strings.Lines", "strings.Title", "bytes.ToLower", "utf8.RuneCountInString",
	".FindAllString", ".FindAllStringSubmatch", ".FindStringSubmatch", ".FindString", ".MatchString", ".ReplaceAllString", ".ReplaceAllStringFunc",
}

// ofTimes are methods that are mostly those of times.
var ofTimes = []string{"After", "Add", "String"}

// smallWork is the work on texts that is done in transactions all the same, as "package.function worker", with what
// bounds it.
var smallWork = map[string]string{
	"call.store call..values":           "conditions of a configuration",
	"callback.note json.Marshal":        "words of this package",
	"callback.note strings.ToValidUTF8": "300 bytes",
	"callback.take callback.lockOf":     "a number",
	"chat.say json.Marshal":             "numbers",
	"chat.tell json.Marshal":            "numbers",
	"chat.watch json.Marshal":           "numbers",
	"incident.tell incident.entries":    "names of bounded length, once an hour for each",
	"incident.end incident.entries":     "names of bounded length, once an hour for each",
	"lead.addTx json.Marshal":           "the name of a form, of 1 KB",
	"lead.change json.Marshal":          "logins; a note is left out",
	"lead.index lead.wordsOf":           "8 KB of several leads that are one",
	"lead.locked lead.readBegun":        "beginnings, which the query cuts",
	"notify.insert notify..job":         "numbers",
	"notify.release notify..job":        "numbers",
	"notify.take notify.eventOf":        "an entry of the journal, which holds no text of anybody",
	"notify.take notify..outOf":         "an entry of the journal, which holds no text of anybody",
	"notify.take notify..wants":         "an entry of the journal, which holds no text of anybody",
	"call.tell json.Marshal":            "words of package telephony",
	"call.watch json.Marshal":           "a number",
	"call.watch db.Hash":                "a number",
	"call.Take call..With":              "notes, which are words of package telephony",
	"chat.moveNoted chat..Check":        "a note of an operator, of 4,000 characters",
	"notify.append json.Marshal":        "an address and a login",
	"notify.note notify..away":          "an address that an administrator has set",
	"notify.leave notify..away":         "an address that an administrator has set",
	"notify.append notify..Host":        "an address that an administrator has set",
	"invitation.add json.Marshal":       "a login and a name",
	"passkey.remove passkey..Covers":    "the sites of two accounts",
	"signin.end signin..Covers":         "the sites of two accounts",
	"twostep.TurnOff twostep..Covers":   "the sites of two accounts",
	"notify.change notify.endpoint":     "what an administrator has set",
	"notify.take notify.endpoints":      "what an administrator has set",
	"inventory.replace inventory..add":  "of a configuration",

	"inventory.Declare inventory.places":     "of a configuration",
	"inventory.DeclareSite inventory.places": "of a configuration",

	"person.piece person..Erase":      "it is another method of the name",
	"partition.cover partition..read": "a query of the program",
}

// administered are packages whose texts only administrators write, in bounded settings.
var administered = []string{"operator", "group", "site"}

// TestNoTextIsWorkedOnInTransactions holds that what takes the longer, the longer a text is, is done before the writer's
// transaction: while one is under way, everybody waits. A function is in a transaction when it is given one. It may
// call no worker, neither itself nor by functions of the project, that has no bound in smallWork.
func TestNoTextIsWorkedOnInTransactions(t *testing.T) {
	p := readProgram(t, "backend")
	found := make(map[string]bool)
	for _, f := range p.functions {
		home, _, _ := strings.Cut(f.name, ".")
		if !f.inside || slices.Contains(administered, home) {
			continue
		}
		for _, called := range f.calls {
			if worker := p.worker(called, make(map[string]bool)); worker != "" {
				found[f.name+" "+called] = true
				if smallWork[f.name+" "+called] == "" {
					t.Errorf("%s is in a transaction and calls %s, which works on a text by %s: do that before", f.name, called, worker)
				}
			}
		}
	}
	for small := range smallWork {
		require.True(t, found[small], "%s is done no more", small)
	}
}

// program is what the functions of the project call, by their names. Of which type a method is, is not known: meant are
// all of the name in the package, or else the only one in the project.
type program struct {
	functions []*function
	named     map[string][]*function // by "package.name", and methods by "package..name" and ".name"
}

type function struct {
	name   string // "package.name"
	inside bool   // it is given a transaction
	calls  []string
}

// readProgram reads the folder, without package db, which is the writer itself.
func readProgram(t *testing.T, folder string) *program {
	p := &program{named: make(map[string][]*function)}
	require.NoError(t, filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || path.Base(path.Dir(filepath.ToSlash(file))) == "db" {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err == nil {
			p.add(parsed)
		}
		return err
	}))
	return p
}

func (p *program) add(file *ast.File) {
	imported := make(map[string]bool)
	for _, i := range file.Imports {
		whole, _ := strconv.Unquote(i.Path.Value)
		name := path.Base(whole)
		if i.Name != nil {
			name = i.Name.Name
		}
		imported[name] = true
	}
	for _, declared := range file.Decls {
		if f, is := declared.(*ast.FuncDecl); is && f.Body != nil {
			name := file.Name.Name + "." + f.Name.Name
			made := p.function(name, f.Type, f.Body, file.Name.Name, imported)
			if f.Recv != nil {
				for _, name := range []string{"." + f.Name.Name, file.Name.Name + ".." + f.Name.Name} {
					p.named[name] = append(p.named[name], made)
				}
				continue
			}
			p.named[name] = append(p.named[name], made)
		}
	}
}

// function adds the function, and the literals in it that are given transactions as functions by themselves.
func (p *program) function(name string, kind *ast.FuncType, body *ast.BlockStmt, home string, imported map[string]bool) *function {
	f := &function{name: name, inside: hasTransaction(kind)}
	p.functions = append(p.functions, f)
	ast.Inspect(body, func(n ast.Node) bool {
		if literal, is := n.(*ast.FuncLit); is && !f.inside && hasTransaction(literal.Type) {
			p.function(name, literal.Type, literal.Body, home, imported)
			return false
		}
		called, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		switch of := called.Fun.(type) {
		case *ast.Ident:
			f.calls = append(f.calls, home+"."+of.Name)
		case *ast.SelectorExpr:
			inner := of.X
			for {
				deeper, is := inner.(*ast.SelectorExpr)
				if !is {
					break
				}
				inner = deeper.X
			}
			name, is := inner.(*ast.Ident)
			switch {
			case is && name.Name == "tx" || slices.Contains(ofTimes, of.Sel.Name) || of.Sel.Name == "RawMessage":
			case is && imported[name.Name]:
				f.calls = append(f.calls, name.Name+"."+of.Sel.Name)
			default:
				f.calls = append(f.calls, home+".."+of.Sel.Name)
			}
		}
		return true
	})
	return f
}

// hasTransaction tells whether one of the parameters is a transaction, or what a lead is changed by.
func hasTransaction(f *ast.FuncType) bool {
	return slices.ContainsFunc(f.Params.List, func(field *ast.Field) bool {
		kind := field.Type
		if pointer, is := kind.(*ast.StarExpr); is {
			kind = pointer.X
		}
		switch kind := kind.(type) {
		case *ast.SelectorExpr:
			return kind.Sel.Name == "Tx"
		case *ast.Ident:
			return kind.Name == "changing"
		}
		return false
	})
}

// worker is the library's worker that a call comes to outside of transactions; empty for none. Functions that are given
// a transaction are looked at by themselves.
func (p *program) worker(called string, seen map[string]bool) string {
	name := called
	if _, method, is := strings.Cut(called, ".."); is {
		name = "." + method
	}
	home, _, _ := strings.Cut(name, ".")
	if slices.Contains(workers, name) || home != "" && slices.Contains(workers, home+".") {
		return name
	}
	if seen[called] {
		return ""
	}
	seen[called] = true
	meant := p.named[called]
	if only := p.named[name]; meant == nil && len(only) == 1 {
		meant = only
	}
	for _, f := range meant {
		if f.inside {
			continue
		}
		for _, next := range f.calls {
			if worker := p.worker(next, seen); worker != "" {
				return worker
			}
		}
	}
	return ""
}

package frame

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"strings"
	"sync"
	"text/template/parse"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/table"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/snippet"
)

//go:embed templates
var templates embed.FS

// layoutFile has what stands around each page. Each other file in a room's folder of templates is the page of its name, or
// defines parts of pages. A template may use those of all rooms.
const layoutFile = "templates/layout.html"

// parse returns the templates of each language, by its code: a set in which each name is given once. They are parsed when
// something is first shown in the language. Many servers show nothing, and few show both.
func (f *Frame) parse() map[string]func() *template.Template {
	all := make(map[string]func() *template.Template, len(f.Tongues))
	for _, w := range f.Tongues {
		all[w.Code] = sync.OnceValue(func() *template.Template { return f.parseIn(w) })
	}
	return all
}

// parseIn parses the templates of the frame and of the rooms. All pages have parts and layout in common, so the content
// of a page, "main" in its file, is named after the page, and there is a layout around each.
func (f *Frame) parseIn(w *words.Tongue) *template.Template {
	set := template.New("").Funcs(f.functions(w))
	layouts := textOf(templates, layoutFile)
	for name, tree := range treesOf(layoutFile, layouts) {
		if name != "layout" {
			add(set, name, tree)
		}
	}
	rooms := []fs.FS{templates}
	for _, room := range f.rooms {
		if room.Templates != nil {
			rooms = append(rooms, room.Templates)
		}
	}
	for _, room := range rooms {
		for _, file := range filesOf(room) {
			page := strings.TrimSuffix(path.Base(file), ".html")
			for name, tree := range treesOf(file, textOf(room, file)) {
				if name == "main" {
					name = contentOf(page)
					layout := strings.ReplaceAll(layouts, `{{template "main" .}}`, fmt.Sprintf("{{template %q .}}", name))
					add(set, layoutOf(page), treesOf(layoutFile, layout)["layout"])
				}
				add(set, name, tree)
			}
		}
	}
	return set
}

// contentOf is the name of the page's content, and layoutOf that of the page with all that stands around it.
func contentOf(page string) string { return page + " main" }
func layoutOf(page string) string  { return page + " layout" }

// indented is how lines of templates begin, which is not sent.
var indented = regexp.MustCompile(`\n[\t ]+`)

func textOf(room fs.FS, file string) string {
	text, err := fs.ReadFile(room, file)
	if err != nil {
		panic(err) // embedded
	}
	return indented.ReplaceAllString(string(text), "\n")
}

// treesOf are the templates that the text of the file defines.
func treesOf(file, text string) map[string]*parse.Tree {
	defined := make(map[string]*parse.Tree)
	tree := parse.New(file)
	tree.Mode = parse.SkipFuncCheck // which is done when they are executed
	if _, err := tree.Parse(text, "", "", defined); err != nil {
		panic(err) // embedded
	}
	delete(defined, file) // what stands between the definitions
	return defined
}

func add(set *template.Template, name string, tree *parse.Tree) {
	if set.Lookup(name) != nil {
		panic("two templates are called " + name)
	}
	template.Must(set.AddParseTree(name, tree))
}

// filesOf are the files of the room's templates: one for each page, and parts.
func filesOf(room fs.FS) (files []string) {
	all, err := fs.Glob(room, "templates/*.html")
	if err != nil { // the pattern is bad
		panic(err)
	}
	for _, file := range all {
		if file != layoutFile {
			files = append(files, file)
		}
	}
	return files
}

// functions are those of templates in the language.
func (f *Frame) functions(w *words.Tongue) template.FuncMap {
	all := template.FuncMap{
		"t":        w.Text,
		"release":  snippet.Release,
		"icon":     func(name string) (template.HTML, error) { return drawing(name) },
		"asset":    func(name string) string { return addresses[name] },
		"ago":      w.Ago,
		"exactly":  w.Exactly,
		"iso":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"span":     w.Span,
		"number":   w.Number,
		"phone":    words.Phone,
		"unbroken": words.Unbroken,
		"called":   w.Phone,
		"taken":    words.Taken,
		"dial":     func(digits string) template.URL { return dialing(digits) },
		"mailbox":  words.Mailbox,
		"said":     words.Said,
		"bytes":    w.Bytes,
		"plainly":  words.Plainly,
		"host":     words.Host,
		"bare":     words.Bare,
		"workbook": table.WorkbookOf,
		"listed":   func(names []string) string { return strings.Join(names, ", ") },
		"place":    func(i int) int { return i + 1 },
		"since":    func(t time.Time) time.Duration { return w.Now().Sub(t) },
	}
	for _, room := range f.rooms {
		if room.Functions != nil {
			maps.Copy(all, room.Functions(w))
		}
	}
	return all
}

func drawing(name string) (template.HTML, error) {
	drawn, found := icons[name]
	if !found {
		return "", fmt.Errorf("there is no icon %q", name)
	}
	return drawn, nil
}

// dialing is a tel: link, of digits alone, or nothing.
func dialing(digits string) template.URL {
	if number := words.Dial(digits); number != "" {
		return template.URL("tel:" + number)
	}
	return ""
}

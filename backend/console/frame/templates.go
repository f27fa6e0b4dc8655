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
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

//go:embed templates
var templates embed.FS

// What is in a room's folder of templates: parts is shared by all pages and rooms, each other file is the page of its
// name, around which the layout stands.
const (
	partsFile  = "templates/parts.html"
	layoutFile = "templates/layout.html"
)

// pages are the templates by language and page.
type pages map[string]map[string]*template.Template

// parse parses the templates of the frame and of the rooms, in each language.
func (f *Frame) parse() pages {
	all := []fs.FS{templates}
	for _, room := range f.rooms {
		if room.Templates != nil {
			all = append(all, room.Templates)
		}
	}
	parsed := make(pages)
	for _, w := range f.Tongues {
		shared := template.New("").Funcs(f.functions(w))
		parseFile(shared, templates, layoutFile)
		for _, room := range all {
			if _, err := fs.Stat(room, partsFile); err == nil {
				parseFile(shared, room, partsFile)
			}
		}
		parsed[w.Code] = map[string]*template.Template{"parts": shared}
		for _, room := range all {
			for _, file := range filesOf(room) {
				page := template.Must(shared.Clone())
				parseFile(page, room, file)
				parsed[w.Code][strings.TrimSuffix(path.Base(file), ".html")] = page
			}
		}
	}
	return parsed
}

// indented is how lines of templates begin, which is not sent.
var indented = regexp.MustCompile(`\n[\t ]+`)

// parseFile adds what the file defines to the templates.
func parseFile(to *template.Template, room fs.FS, file string) {
	text, err := fs.ReadFile(room, file)
	if err != nil {
		panic(err) // embedded
	}
	template.Must(to.New(file).Parse(indented.ReplaceAllString(string(text), "\n")))
}

// filesOf are the pages of the room.
func filesOf(room fs.FS) (files []string) {
	all, err := fs.Glob(room, "templates/*.html")
	if err != nil { // the pattern is bad
		panic(err)
	}
	for _, file := range all {
		if file != partsFile && file != layoutFile {
			files = append(files, file)
		}
	}
	return files
}

// functions are those of templates in the language.
func (f *Frame) functions(w *words.Tongue) template.FuncMap {
	all := template.FuncMap{
		"t":        w.Text,
		"icon":     func(name string) (template.HTML, error) { return drawing(name) },
		"asset":    func(name string) string { return addresses[name] },
		"ago":      w.Ago,
		"exactly":  w.Exactly,
		"iso":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"span":     w.Span,
		"money":    w.Money,
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

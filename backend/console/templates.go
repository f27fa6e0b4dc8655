package console

import (
	"embed"
	"fmt"
	"html/template"
	"maps"
	"strings"
	"time"
)

//go:embed templates/*.html
var templates embed.FS

// pageNames are the pages, each in a template of that name, around which
// layout.html stands. All of them share the lists of parts.html.
var pageNames = []string{"visitors", "card", "leads", "lead", "refused", "forms", "calls", "callbacks", "callback", "newcallback", "chats", "numbers", "number", "who", "pools", "pool", "sites", "site", "settings", "widget", "deliveries", "endpoint", "groups", "group", "replies", "operators", "operator", "history", "person", "account", "door", "failure"}

// pages are the templates by language and page.
type pages map[string]map[string]*template.Template

// parsePages parses the templates of the named pages, in each language.
func parsePages(all []*words, functions func(*words) template.FuncMap, names ...string) pages {
	parsed := make(pages)
	for _, w := range all {
		shared := template.Must(template.New("").Funcs(functions(w)).ParseFS(templates, "templates/layout.html", "templates/parts.html", "templates/keeping.html", "templates/call.html", "templates/callback_parts.html", "templates/chat.html"))
		parsed[w.Code] = map[string]*template.Template{"parts": shared}
		for _, name := range names {
			parsed[w.Code][name] = template.Must(template.Must(shared.Clone()).ParseFS(templates, "templates/"+name+".html"))
		}
	}
	return parsed
}

// functions are those of templates in the language.
func (f *Frame) functions(w *words) template.FuncMap {
	all := template.FuncMap{
		"t":        w.text,
		"icon":     func(name string) (template.HTML, error) { return drawing(name) },
		"asset":    func(name string) string { return addresses[name] },
		"ago":      w.ago,
		"exactly":  w.exactly,
		"iso":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"span":     w.span,
		"money":    w.money,
		"number":   w.number,
		"phone":    phone,
		"unbroken": unbroken,
		"called":   w.phone,
		"taken":    taken,
		"dial":     func(digits string) template.URL { return dialing(digits) },
		"mailbox":  mailbox,
		"said":     said,
		"bytes":    w.bytes,
		"plainly":  plainly,
		"listed":   func(names []string) string { return strings.Join(names, ", ") },
		"place":    func(i int) int { return i + 1 },
		"since":    func(t time.Time) time.Duration { return w.now().Sub(t) },
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
	if number := dial(digits); number != "" {
		return template.URL("tel:" + number)
	}
	return ""
}

// Package help shows the documentation in the console. It is that of the version that runs, and needs no internet.
package help

import (
	"embed"
	"html/template"
	"net/http"
	"path"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/docs"
)

//go:embed templates
var templates embed.FS

type room struct {
	*frame.Frame
}

// Mount adds the room to the console.
func Mount(f *frame.Frame) {
	c := &room{Frame: f}
	f.Room(frame.Room{Templates: templates, Help: about})
	f.Reader("GET /help", c.With("help", c.showContents))
	f.Reader("GET /help/{manual}", c.With("help", c.show))
	f.Reader("GET /help/images/{drawing}", func(w http.ResponseWriter, r *http.Request) error {
		return sendFile(w, r, path.Join("images", r.PathValue("drawing")))
	})
}

// about says where the documentation tells of a page of the console.
var about = map[string]string{
	"overview": "/help/console#doc-overview", "reports": "/help/console#doc-reports", "behind": "/help/console#doc-reports", "saved": "/help/console#doc-reports", "links": "/help/access#doc-links-to-reports", "bulletins": "/help/reports#doc-figures-by-mail",
	"visitors": "/help/console#doc-visitors", "card": "/help/console#doc-visitors", "leads": "/help/console#doc-leads", "lead": "/help/console#doc-working-on-leads",
	"refused": "/help/console#doc-refused-leads", "forms": "/help/forms#doc-forms-that-are-found", "chats": "/help/console#doc-chats", "waits": "/help/console#doc-chats",
	"calls": "/help/console#doc-calls", "callbacks": "/help/console#doc-callbacks", "callback": "/help/callbacks#doc-states-of-a-callback", "newcallback": "/help/console#doc-callbacks",
	"numbers": "/help/console-sites#doc-numbers", "number": "/help/console-sites#doc-tracking-a-number", "roster": "/help/moving#doc-numbers-and-pools", "who": "/help/console-sites#doc-who-sees-what", "pools": "/help/console-sites#doc-pools",
	"pool": "/help/dynamic-numbers#doc-how-many-numbers", "sites": "/help/console-sites#doc-for-admins", "site": "/help/console-sites#doc-for-admins", "check": "/help/console-sites#doc-install-check", "settings": "/help/console-sites#doc-settings", "captures": "/help/console-sites#doc-rules-for-forms", "capture": "/help/console-sites#doc-rules-for-forms",
	"widget": "/help/widget", "deliveries": "/help/console-sites#doc-deliveries", "endpoint": "/help/webhooks", "conversions": "/help/conversions", "destination": "/help/conversions", "groups": "/help/callbacks#doc-groups-and-hours",
	"group": "/help/callbacks#doc-groups-and-hours", "replies": "/help/console#doc-chats", "operators": "/help/console-sites#doc-for-admins", "operator": "/help/console-sites#doc-for-admins",
	"history": "/help/console-sites#doc-for-admins", "tokens": "/help/api", "person": "/help/erasing#doc-in-the-console", "account": "/help/signing-in#doc-signing-in", "steps": "/help/signing-in#doc-two-step-sign-in", "lookup": "/help/console#doc-searching-everything",
}

// manual is a page of the documentation.
type manual struct {
	Text     template.HTML
	Contents bool // it is the list of all pages
}

func (c *room) showContents(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	return c.showPage(w, f, "README.md")
}

func (c *room) show(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	name := r.PathValue("manual")
	if strings.Contains(name, ".") {
		return sendFile(w, r, name)
	}
	return c.showPage(w, f, name+".md")
}

func (c *room) showPage(w http.ResponseWriter, f frame.Page, file string) error {
	source, err := docs.Files.ReadFile(file)
	if err != nil {
		return frame.NotFound
	}
	title, text, err := render(source)
	if err != nil {
		return err
	}
	f.Title, f.Body = title, manual{Text: text, Contents: file == "README.md"}
	return c.Show(w, http.StatusOK, f)
}

// sendFile answers with a file beside the pages: a picture or a schema.
func sendFile(w http.ResponseWriter, r *http.Request, name string) error {
	if strings.HasSuffix(name, ".md") {
		return frame.NotFound
	}
	if _, err := docs.Files.ReadFile(name); err != nil {
		return frame.NotFound
	}
	w.Header().Set("Cache-Control", "private, max-age=86400") // after an upgrade, the one before is good enough for a day
	http.ServeFileFS(w, r, docs.Files, name)
	return nil
}

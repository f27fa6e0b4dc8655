package frame

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"io/fs"
	"maps"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/asset"
)

//go:generate go run ./build

//go:embed dist static
var files embed.FS

// served are the files and what they are put together from. The scripts are
// one: htmx begins with the page as soon as it is left alone, and what extends
// it must be there by then.
var served = map[string][]string{
	"console.js":  {"dist/htmx.js", "dist/hx-sse.js", "dist/console.js"},
	"leaving.js":  {"dist/leaving.js"}, // where nobody has signed in
	"console.css": {"dist/console.css"},
	"passkey.js":  {"dist/passkey.js"}, // where operators sign in, and of their accounts
	"stage.js":    {"dist/stage.js"},   // of the page within the page of a site's widget
	"stage.css":   {"dist/stage.css"},
	"chart.js":    {"dist/uplot.js", "dist/chart.js"}, // of pages of figures
	"chart.css":   {"dist/uplot.css", "dist/chart.css"},
	"digits.svg":  {"static/digits.svg"},
	"chat.js":     {"dist/chat.js"},
	"chat.css":    {"dist/chat.css"},
	"mark.svg":    {"static/mark.svg"},
}

// pictures are served as they are.
var pictures = []string{"icon-192.png", "icon-512.png"}

// Assets are the files that pages refer to, and addresses where each is, which
// changes with its content.
var Assets, addresses = loadAssets()

var icons = loadIcons()

func loadAssets() (asset.Set, map[string]string) {
	assets, addresses := make(asset.Set), make(map[string]string)
	maps.Copy(assets, snippet.Assets()) // the panels of previews
	for name, parts := range served {
		var content bytes.Buffer
		for _, part := range parts {
			content.Write(embedded(part))
			content.WriteByte('\n')
		}
		addresses[name] = "/assets/" + assets.Add(name, content.Bytes())
	}
	for _, name := range pictures {
		addresses[name] = "/assets/" + assets.Add(name, embedded("static/"+name))
	}
	const app = "manifest.webmanifest"
	addresses[app] = "/assets/" + assets.Add(app, manifest(addresses))
	return assets, addresses
}

// loadIcons reads the signs as HTML. They are the console's own, with nobody
// else's text in them.
func loadIcons() map[string]template.HTML {
	entries, err := fs.ReadDir(files, "dist/icons")
	if err != nil {
		panic(err) // embedded
	}
	loaded := make(map[string]template.HTML, len(entries))
	for _, entry := range entries {
		drawing := embedded("dist/icons/" + entry.Name())
		loaded[strings.TrimSuffix(entry.Name(), ".svg")] = template.HTML(bytes.TrimSpace(drawing))
	}
	return loaded
}

func embedded(name string) []byte {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // embedded, and read by every test
	}
	return content
}

// manifest is by which browsers install the console as an app
// (https://www.w3.org/TR/appmanifest/). Its icons are named as they are served.
func manifest(addresses map[string]string) []byte {
	type icon struct {
		Src     string `json:"src"`
		Sizes   string `json:"sizes"`
		Type    string `json:"type"`
		Purpose string `json:"purpose,omitempty"`
	}
	text, err := json.Marshal(struct {
		ID              string `json:"id"`
		Name            string `json:"name"`
		ShortName       string `json:"short_name"`
		StartURL        string `json:"start_url"`
		Scope           string `json:"scope"`
		Display         string `json:"display"`
		BackgroundColor string `json:"background_color"`
		ThemeColor      string `json:"theme_color"`
		Icons           []icon `json:"icons"`
	}{"/", "Frontdesk", "Frontdesk", "/chats", "/", "standalone", "#ffffff", "#0f766e", []icon{
		{addresses["icon-192.png"], "192x192", "image/png", ""},
		{addresses["icon-512.png"], "512x512", "image/png", ""},
		{addresses["icon-512.png"], "512x512", "image/png", "maskable"},
		{addresses["mark.svg"], "any", "image/svg+xml", ""},
	}})
	if err != nil {
		panic(err) // it holds texts alone
	}
	return text
}

// Worker shows notifications, which phones take from workers alone. It stands at the root: its
// place says for which pages it is. Browsers look by themselves for another version.
var Worker = asset.New("worker.js", "no-cache", embedded("dist/worker.js"))

package frame

import (
	"encoding/json"

	"github.com/seed-3405227d/frontdesk/snippet/asset"
)

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
var Worker = asset.New("worker.js", "no-cache", embedded("static/worker.js"))

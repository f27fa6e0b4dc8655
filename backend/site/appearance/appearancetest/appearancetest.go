// Package appearancetest has a widget for tests.
package appearancetest

import "github.com/seed-3405227d/frontdesk/backend/site/appearance"

// Whole is a widget in which everything is set.
func Whole() *appearance.Widget {
	return &appearance.Widget{
		Launcher: new(true), Side: new("left"), Color: new("#0a7d4f"), Avatar: new("https://cdn.example/vera.jpg"), Language: new("ru"),
		Title: appearance.Wording{"*": "Lamps"}, Greeting: appearance.Wording{"en": "Hello", "ru": "Здравствуйте"},
		Fields: []appearance.FormField{{Name: "email", Required: true}, {Name: "город", Label: appearance.Wording{"*": "Город"}}},
		Texts:  map[string]appearance.Wording{"request.title": {"en": "Ask"}},
		Chat:   new(true), Files: new(false), Sitephone: new(true),
		Invitations: []appearance.Invitation{{After: 30, Address: "/cart*", Source: "utm_source=news*", Text: appearance.Wording{"*": "May we help?"}}},
	}
}

package appearance

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet"
)

// Look is a widget in one language, ready for the panels: every field is filled.
type Look struct {
	Language string            `json:"language"`
	Texts    map[string]string `json:"texts"`
	Widget   Panels            `json:"widget"`
}

// Panels are the settings of a [Look]. An empty Title, Greeting or label stands for the built-in text.
type Panels struct {
	Launcher    bool     `json:"launcher"`
	Side        string   `json:"side"`
	Color       string   `json:"color"` // as #rrggbb, in small letters
	Avatar      string   `json:"avatar"`
	Title       string   `json:"title"`
	Greeting    string   `json:"greeting"`
	Fields      []Field  `json:"fields"`
	Chat        bool     `json:"chat"`
	Files       bool     `json:"files"`
	Rating      bool     `json:"rating"`
	Sitephone   bool     `json:"sitephone"`
	Captcha     bool     `json:"captcha"`
	Mask        string   `json:"mask"`
	Invitations []Spoken `json:"invitations"`
}

// Field is a [FormField] in one language.
type Field struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	Label    string `json:"label,omitempty"`
}

// Spoken is an [Invitation] in one language.
type Spoken struct {
	// ID stays the same while the rule stays the same, in any language.
	ID      string `json:"id"`
	After   int    `json:"after"`
	Address string `json:"address"`
	Source  string `json:"source"`
	Text    string `json:"text"`
}

// defaultFields are the fields of a lead form without settings.
var defaultFields = []FormField{{Name: "name"}, {Name: "phone", Required: true}, {Name: "email"}, {Name: "message"}}

// Look returns the widget, which may be nil, in one of the panels' languages. The caller fills in Mask and Captcha, and
// clears Sitephone if no calls can be ordered.
func (w *Widget) Look(language string) Look {
	launcher := w.HasLauncher()
	w = cmp.Or(w, new(Widget))
	look := Look{Language: language, Texts: snippet.Texts(language), Widget: Panels{
		Launcher:    launcher,
		Side:        valueOr(w.Side, Right),
		Color:       longColor(valueOr(w.Color, DefaultColor)),
		Avatar:      valueOr(w.Avatar, ""),
		Title:       w.Title.In(language),
		Greeting:    w.Greeting.In(language),
		Chat:        valueOr(w.Chat, true),
		Files:       valueOr(w.Files, true),
		Rating:      valueOr(w.Rating, false),
		Sitephone:   valueOr(w.Sitephone, true),
		Fields:      []Field{},
		Invitations: []Spoken{},
	}}
	for _, f := range w.FieldsOrDefault() {
		look.Widget.Fields = append(look.Widget.Fields, Field{Name: f.Name, Required: f.Required, Label: cmp.Or(f.Label.In(language), f.Label.any())})
	}
	for _, i := range w.Invitations {
		text := cmp.Or(i.Text.In(language), i.Text.any())
		look.Widget.Invitations = append(look.Widget.Invitations, Spoken{ID: i.id(), After: i.After, Address: i.Address, Source: i.Source, Text: text})
	}
	for key, text := range w.Texts {
		if _, known := look.Texts[key]; known && text.In(language) != "" {
			look.Texts[key] = text.In(language)
		}
	}
	return look
}

// FieldsOrDefault returns the fields of the lead form, or the default ones if none are set.
func (w *Widget) FieldsOrDefault() []FormField {
	if w == nil || w.Fields == nil {
		return slices.Clone(defaultFields)
	}
	return w.Fields
}

func valueOr[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// longColor writes a colour with six digits.
func longColor(color string) string {
	color = strings.ToLower(color)
	if len(color) == len("#rgb") {
		return fmt.Sprintf("#%[1]c%[1]c%[2]c%[2]c%[3]c%[3]c", color[1], color[2], color[3])
	}
	return color
}

// id returns a different id for each different rule, so that a visitor who has seen one invitation may see another.
func (i Invitation) id() string {
	said, err := json.Marshal(i)
	if err != nil { // it holds texts and a number
		panic(fmt.Sprintf("writing an invitation: %v", err))
	}
	sum := sha256.Sum256(said)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

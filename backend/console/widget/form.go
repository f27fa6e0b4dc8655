package widget

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
	"github.com/seed-3405227d/frontdesk/locales"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// languageOfVisitor is the choice of the page's or the visitor's language.
const languageOfVisitor = "visitor"

// widgetForm is a site's widget as its form has it. Of each setting the empty value stands
// for what is configured.
type widgetForm struct {
	site.Site
	Seen                     int64  // version that the form was made from
	Launcher                 string // on or off, as the four next ones
	Chat, Files, Sitephone   string
	Rating                   string
	Unanswered, MailAnswers  string // none, of MailAnswers alone, or own
	UnansweredIn, MailedIn   string // seconds
	Side                     string
	Language                 string // visitor or a language
	Color, ColorText         string // own
	Avatar, AvatarText       string // none or own
	Title, Greeting          phrase
	FieldsAre, InvitationsAs string // own
	Fields                   []fieldForm
	Invitations              []invitationForm
	Texts                    []textForm
	Wrong                    map[string]string // by the part of the form
	Warnings                 []string
	Configured               widgetConfigured
	Tongues                  []tongue
	Scope                    string // address of the form
}

// tongue is a language of the panels.
type tongue struct{ Code, Name string }

// phrase is a text of the site's own in each language, beside what is said without it.
type phrase struct {
	Name string // of the form's fields, before the language
	In   []phraseIn
}

type phraseIn struct {
	Code, TongueName string
	Text, Otherwise  string
}

type fieldForm struct {
	Name     string
	Required bool
	Label    phrase
}

type invitationForm struct {
	After, Address, Source string
	Text                   phrase
}

type textForm struct {
	Key   string
	Words phrase
}

// phrased is a phrase with what its fields are called, and how many characters they take.
type phrased struct {
	phrase
	Label string
	Most  int
}

// Changed tells whether the site has words of its own.
func (p phrase) Changed() bool {
	return slices.ContainsFunc(p.In, func(in phraseIn) bool { return in.Text != "" })
}

// wording is what the phrase says. The same in all languages is one text.
func (p phrase) wording() appearance.Wording {
	w := make(appearance.Wording)
	for _, in := range p.In {
		if in.Text != "" {
			w[in.Code] = in.Text
		}
	}
	if len(w) == 0 {
		return nil
	}
	if texts := slices.Compact(slices.Collect(maps.Values(w))); len(w) == len(p.In) && len(texts) == 1 {
		return appearance.Wording{appearance.EveryLanguage: texts[0]}
	}
	return w
}

// tonguesOfPanels are the languages of the panels, by their own names.
func (c *room) tonguesOfPanels() (all []tongue) {
	for _, code := range locales.Languages {
		name := code
		if w := c.Tongue(code); w != nil {
			name = w.Name
		}
		all = append(all, tongue{code, name})
	}
	return all
}

func phraseOf(tongues []tongue, name string, own, configured appearance.Wording, builtIn map[string]string) phrase {
	p := phrase{Name: name}
	for _, t := range tongues {
		otherwise := configured.In(t.Code)
		if otherwise == "" {
			otherwise = builtIn[t.Code]
		}
		p.In = append(p.In, phraseIn{t.Code, t.Name, own.In(t.Code), otherwise})
	}
	return p
}

// newWidgetForm is the form without the site's own values.
func (c *room) newWidgetForm(s site.Site, set, configured *appearance.Widget) widgetForm {
	form := widgetForm{Site: s, Seen: s.Version, Tongues: c.tonguesOfPanels(), Scope: frame.SiteLink(s.ID) + "/widget"}
	set, configured = cmp.Or(set, new(appearance.Widget)), cmp.Or(configured, new(appearance.Widget))
	built := make(map[string]map[string]string) // by key, then by language
	for _, t := range form.Tongues {
		for key, text := range snippet.Texts(t.Code) {
			if built[key] == nil {
				built[key] = make(map[string]string)
			}
			built[key][t.Code] = text
		}
	}
	form.Title = phraseOf(form.Tongues, "title", set.Title, configured.Title, built["request.title"])
	form.Greeting = phraseOf(form.Tongues, "greeting", set.Greeting, configured.Greeting, built["chat.greeting"])
	for _, key := range slices.Sorted(maps.Keys(built)) {
		form.Texts = append(form.Texts, textForm{key, phraseOf(form.Tongues, "text."+key, set.Texts[key], configured.Texts[key], built[key])})
	}
	return form
}

func (c *room) widgetFormOf(s site.Site, configured *appearance.Widget) widgetForm {
	set := s.Settings.Widget
	form := c.newWidgetForm(s, set, configured)
	if set == nil {
		if set = new(appearance.Widget); configured == nil {
			form.Launcher = "on" // whoever comes here first wants it
		}
	}
	for of, value := range map[*string]*bool{&form.Launcher: set.Launcher, &form.Chat: set.Chat, &form.Files: set.Files, &form.Rating: set.Rating, &form.Sitephone: set.Sitephone} {
		if value != nil {
			*of = rows.OnOff(*value)
		}
	}
	if set.Side != nil {
		form.Side = *set.Side
	}
	if set.Language != nil {
		if form.Language = *set.Language; form.Language == "" {
			form.Language = languageOfVisitor
		}
	}
	if form.ColorText = appearance.DefaultColor; configured != nil && configured.Color != nil {
		form.ColorText = *configured.Color
	}
	if set.Color != nil {
		form.Color, form.ColorText = rows.Own, *set.Color
	}
	if set.Avatar != nil {
		form.Avatar, form.AvatarText = rows.Own, *set.Avatar
		if *set.Avatar == "" {
			form.Avatar = rows.None
		}
	}
	if set.Unanswered != nil {
		form.Unanswered, form.UnansweredIn = rows.Own, strconv.Itoa(*set.Unanswered)
	}
	if set.MailAnswers != nil {
		form.MailAnswers, form.MailedIn = rows.Own, strconv.Itoa(*set.MailAnswers)
		if *set.MailAnswers == 0 {
			form.MailAnswers, form.MailedIn = rows.None, ""
		}
	}
	effective := set.Over(configured)
	if set.Fields != nil {
		form.FieldsAre = rows.Own
	}
	for _, field := range effective.FieldsOrDefault() {
		form.addField(field)
	}
	if set.Invitations != nil {
		form.InvitationsAs = rows.Own
	}
	for _, invitation := range effective.Invitations {
		form.addInvitation(invitation)
	}
	return form
}

func (f *widgetForm) addField(field appearance.FormField) {
	built := make(map[string]string)
	for _, t := range f.Tongues {
		built[t.Code] = snippet.Texts(t.Code)["field."+field.Name]
	}
	name := "field" + strconv.Itoa(len(f.Fields)) + "label"
	f.Fields = append(f.Fields, fieldForm{field.Name, field.Required, phraseOf(f.Tongues, name, field.Label, nil, built)})
}

func (f *widgetForm) addInvitation(i appearance.Invitation) {
	form := invitationForm{Address: i.Address, Source: i.Source,
		Text: phraseOf(f.Tongues, "invite"+strconv.Itoa(len(f.Invitations))+"text", i.Text, nil, nil)}
	if i.After > 0 {
		form.After = strconv.Itoa(i.After)
	}
	f.Invitations = append(f.Invitations, form)
}

// widget is what the form says; nil where it says nothing.
func (f *widgetForm) widget() *appearance.Widget {
	w := new(appearance.Widget)
	for of, value := range map[**bool]string{&w.Launcher: f.Launcher, &w.Chat: f.Chat, &w.Files: f.Files, &w.Rating: f.Rating, &w.Sitephone: f.Sitephone} {
		if value != rows.AsConfigured {
			*of = new(value == "on")
		}
	}
	said := f.Launcher != rows.AsConfigured || f.Chat != rows.AsConfigured || f.Files != rows.AsConfigured || f.Rating != rows.AsConfigured || f.Sitephone != rows.AsConfigured
	set := func(of **string, value string) {
		*of, said = &value, true
	}
	if f.Side != rows.AsConfigured {
		set(&w.Side, f.Side)
	}
	switch f.Language {
	case rows.AsConfigured:
	case languageOfVisitor:
		set(&w.Language, "")
	default:
		set(&w.Language, f.Language)
	}
	if f.Color == rows.Own {
		set(&w.Color, f.ColorText)
	}
	switch f.Avatar {
	case rows.None:
		set(&w.Avatar, "")
	case rows.Own:
		set(&w.Avatar, f.AvatarText)
	}
	if f.Unanswered == rows.Own {
		w.Unanswered, said = new(seconds(f.UnansweredIn)), true
	}
	switch f.MailAnswers {
	case rows.None:
		w.MailAnswers, said = new(int), true
	case rows.Own:
		w.MailAnswers, said = new(seconds(f.MailedIn)), true
	}
	w.Title, w.Greeting = f.Title.wording(), f.Greeting.wording()
	for _, text := range f.Texts {
		if wording := text.Words.wording(); wording != nil {
			if w.Texts == nil {
				w.Texts = make(map[string]appearance.Wording)
			}
			w.Texts[text.Key] = wording
		}
	}
	if f.FieldsAre == rows.Own {
		w.Fields = []appearance.FormField{}
		for _, row := range f.Fields {
			w.Fields = append(w.Fields, row.field())
		}
	}
	if f.InvitationsAs == rows.Own {
		w.Invitations = []appearance.Invitation{}
		for _, row := range f.Invitations {
			w.Invitations = append(w.Invitations, row.invitation())
		}
	}
	if !said && w.Title == nil && w.Greeting == nil && w.Texts == nil && w.Fields == nil && w.Invitations == nil {
		return nil
	}
	return w
}

package console

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// languageOfVisitor is the choice of the page's or the visitor's language.
const languageOfVisitor = "visitor"

// widgetForm is a site's widget as its form has it. Of each setting the empty value stands
// for what is configured.
type widgetForm struct {
	site.Site
	Seen                     int64  // version that the form was made from
	Launcher                 string // on or off, as the three next ones
	Chat, Files, Sitephone   string
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
func (p phrase) wording() site.Wording {
	w := make(site.Wording)
	for _, in := range p.In {
		if in.Text != "" {
			w[in.Code] = in.Text
		}
	}
	if len(w) == 0 {
		return nil
	}
	if texts := slices.Compact(slices.Collect(maps.Values(w))); len(w) == len(p.In) && len(texts) == 1 {
		return site.Wording{site.EveryLanguage: texts[0]}
	}
	return w
}

// tonguesOfPanels are the languages of the panels, by their own names.
func (c *widgetRoom) tonguesOfPanels() (all []tongue) {
	for _, code := range snippet.Languages() {
		name := code
		if w := c.wordsOf(code); w != nil {
			name = w.Name
		}
		all = append(all, tongue{code, name})
	}
	return all
}

func phraseOf(tongues []tongue, name string, own, configured site.Wording, builtIn map[string]string) phrase {
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
func (c *widgetRoom) newWidgetForm(s site.Site, set, configured *site.Widget) widgetForm {
	form := widgetForm{Site: s, Seen: s.Version, Tongues: c.tonguesOfPanels(), Scope: siteLink(s.ID) + "/widget"}
	set, configured = cmp.Or(set, new(site.Widget)), cmp.Or(configured, new(site.Widget))
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

func (c *widgetRoom) widgetFormOf(s site.Site, configured *site.Widget) widgetForm {
	set := s.Settings.Widget
	form := c.newWidgetForm(s, set, configured)
	if set == nil {
		if set = new(site.Widget); configured == nil {
			form.Launcher = "on" // whoever comes here first wants it
		}
	}
	for of, value := range map[*string]*bool{&form.Launcher: set.Launcher, &form.Chat: set.Chat, &form.Files: set.Files, &form.Sitephone: set.Sitephone} {
		if value != nil {
			*of = onOff(*value)
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
	if form.ColorText = site.DefaultColor; configured != nil && configured.Color != nil {
		form.ColorText = *configured.Color
	}
	if set.Color != nil {
		form.Color, form.ColorText = own, *set.Color
	}
	if set.Avatar != nil {
		form.Avatar, form.AvatarText = own, *set.Avatar
		if *set.Avatar == "" {
			form.Avatar = none
		}
	}
	effective := set.Over(configured)
	if set.Fields != nil {
		form.FieldsAre = own
	}
	for _, field := range effective.FieldsOrDefault() {
		form.addField(field)
	}
	if set.Invitations != nil {
		form.InvitationsAs = own
	}
	for _, invitation := range effective.Invitations {
		form.addInvitation(invitation)
	}
	return form
}

func (f *widgetForm) addField(field site.FormField) {
	built := make(map[string]string)
	for _, t := range f.Tongues {
		built[t.Code] = snippet.Texts(t.Code)["field."+field.Name]
	}
	name := "field" + strconv.Itoa(len(f.Fields)) + "label"
	f.Fields = append(f.Fields, fieldForm{field.Name, field.Required, phraseOf(f.Tongues, name, field.Label, nil, built)})
}

func (f *widgetForm) addInvitation(i site.Invitation) {
	form := invitationForm{Address: i.Address, Source: i.Source,
		Text: phraseOf(f.Tongues, "invite"+strconv.Itoa(len(f.Invitations))+"text", i.Text, nil, nil)}
	if i.After > 0 {
		form.After = strconv.Itoa(i.After)
	}
	f.Invitations = append(f.Invitations, form)
}

// sentWidget is the form as the request has it.
func (c *widgetRoom) sentWidget(r *http.Request, s site.Site, configured *site.Widget) widgetForm {
	value := func(name string) string {
		return strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(r.PostFormValue(name)))
	}
	count := func(name string, most int) int {
		n, _ := strconv.Atoi(value(name))
		return min(max(n, 0), most)
	}
	form := c.newWidgetForm(s, nil, configured)
	said := func(p phrase) site.Wording {
		for i, in := range p.In {
			p.In[i].Text = value(p.Name + "." + in.Code)
		}
		return p.wording()
	}
	form.Seen, _ = strconv.ParseInt(value("version"), 10, 64)
	for name, of := range map[string]*string{
		"launcher": &form.Launcher, "chat": &form.Chat, "files": &form.Files, "sitephone": &form.Sitephone, "side": &form.Side, "language": &form.Language,
		"color": &form.Color, "colorText": &form.ColorText, "avatar": &form.Avatar, "avatarText": &form.AvatarText,
		"fieldsAre": &form.FieldsAre, "invitationsAre": &form.InvitationsAs,
	} {
		*of = value(name)
	}
	said(form.Title)
	said(form.Greeting)
	for _, text := range form.Texts {
		said(text.Words)
	}
	for i := range count("fields", site.MaxFields) {
		at := "field" + strconv.Itoa(i)
		form.addField(site.FormField{Name: value(at + "name"), Required: value(at+"required") != ""})
		said(form.Fields[i].Label)
	}
	for i := range count("invitations", site.MaxInvitations) {
		at := "invite" + strconv.Itoa(i)
		form.addInvitation(site.Invitation{Address: value(at + "address"), Source: value(at + "source")})
		form.Invitations[i].After = value(at + "after")
		said(form.Invitations[i].Text)
	}
	return form
}

// do changes the form's rows as the button says that has been pressed.
func (f *widgetForm) do(button string) {
	what, number, _ := strings.Cut(button, "-")
	i, _ := strconv.Atoi(number)
	var fields []site.FormField
	for _, row := range f.Fields {
		fields = append(fields, row.field())
	}
	var invitations []site.Invitation
	afters := make([]string, 0, len(f.Invitations))
	for _, row := range f.Invitations {
		invitations, afters = append(invitations, row.invitation()), append(afters, row.After)
	}
	switch {
	case what == "field" && len(fields) < site.MaxFields:
		fields = append(fields, site.FormField{})
	case what == "unfield" && 0 <= i && i < len(fields):
		fields = slices.Delete(fields, i, i+1)
	case what == "up" && 0 < i && i < len(fields):
		fields[i-1], fields[i] = fields[i], fields[i-1]
	case what == "invite" && len(invitations) < site.MaxInvitations:
		invitations, afters = append(invitations, site.Invitation{}), append(afters, "30")
	case what == "uninvite" && 0 <= i && i < len(invitations):
		invitations, afters = slices.Delete(invitations, i, i+1), slices.Delete(afters, i, i+1)
	}
	f.Fields, f.Invitations = nil, nil
	for _, field := range fields {
		f.addField(field)
	}
	for at, invitation := range invitations {
		f.addInvitation(invitation)
		f.Invitations[at].After = afters[at]
	}
}

func (f fieldForm) field() site.FormField {
	return site.FormField{Name: f.Name, Required: f.Required, Label: f.Label.wording()}
}

func (f invitationForm) invitation() site.Invitation {
	i := site.Invitation{Address: f.Address, Source: f.Source, Text: f.Text.wording()}
	if f.After != "" {
		var err error
		if i.After, err = strconv.Atoi(f.After); err != nil {
			i.After = -1 // which is refused
		}
	}
	return i
}

// widget is what the form says; nil where it says nothing.
func (f *widgetForm) widget() *site.Widget {
	w := new(site.Widget)
	for of, value := range map[**bool]string{&w.Launcher: f.Launcher, &w.Chat: f.Chat, &w.Files: f.Files, &w.Sitephone: f.Sitephone} {
		if value != asConfigured {
			*of = new(value == "on")
		}
	}
	said := f.Launcher != asConfigured || f.Chat != asConfigured || f.Files != asConfigured || f.Sitephone != asConfigured
	set := func(of **string, value string) {
		*of, said = &value, true
	}
	if f.Side != asConfigured {
		set(&w.Side, f.Side)
	}
	switch f.Language {
	case asConfigured:
	case languageOfVisitor:
		set(&w.Language, "")
	default:
		set(&w.Language, f.Language)
	}
	if f.Color == own {
		set(&w.Color, f.ColorText)
	}
	switch f.Avatar {
	case none:
		set(&w.Avatar, "")
	case own:
		set(&w.Avatar, f.AvatarText)
	}
	w.Title, w.Greeting = f.Title.wording(), f.Greeting.wording()
	for _, text := range f.Texts {
		if wording := text.Words.wording(); wording != nil {
			if w.Texts == nil {
				w.Texts = make(map[string]site.Wording)
			}
			w.Texts[text.Key] = wording
		}
	}
	if f.FieldsAre == own {
		w.Fields = []site.FormField{}
		for _, row := range f.Fields {
			w.Fields = append(w.Fields, row.field())
		}
	}
	if f.InvitationsAs == own {
		w.Invitations = []site.Invitation{}
		for _, row := range f.Invitations {
			w.Invitations = append(w.Invitations, row.invitation())
		}
	}
	if !said && w.Title == nil && w.Greeting == nil && w.Texts == nil && w.Fields == nil && w.Invitations == nil {
		return nil
	}
	return w
}

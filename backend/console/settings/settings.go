package settings

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// settingsPage is the content of the page of a site's settings.
type settingsPage struct {
	site.Site
	Seen   int64 // version that the form was made from
	Groups []shownGroup
	Fixed  []site.Fixed
}

type shownGroup struct {
	ID, Title, Hint string
	Fields          []shownField
	Links           []frame.Option
}

// shownField is a field as the page has it.
type shownField struct {
	Name, ID, Title, Hint string
	Choices               []frame.Option
	Chosen                string // of the choices
	Typed                 bool
	Text                  string // that is typed
	Example, Mode         string
	Most, Lines           int
	Own                   bool   // the site sets it
	Told                  bool   // the configuration is known
	Configured            string // what it says, in words
	Wrong                 string
}

// sent is what a request says of the fields: the choice of each, and what is typed.
type sent map[string]struct{ choice, text string }

func sentIn(r *http.Request) sent {
	s := make(sent)
	for _, g := range groups {
		for _, f := range g.fields {
			s[f.name] = struct{ choice, text string }{r.PostFormValue(f.name), strings.TrimSpace(strings.ReplaceAll(r.PostFormValue(f.name+".own"), "\r\n", "\n"))}
		}
	}
	return s
}

// sentOf is what the form of the settings would send without a change.
func sentOf(set site.Settings) sent {
	s := make(sent)
	for _, g := range groups {
		for _, f := range g.fields {
			said := s[f.name]
			switch text, own := f.read(set); {
			case !own:
			case text == "" && f.refusable:
				said.choice = rows.None
			case f.choices != nil:
				said.choice = text
			default:
				said.choice, said.text = rows.Own, text
			}
			s[f.name] = said
		}
	}
	return s
}

// put writes what is sent for the field into the settings.
func (f *field) put(set *site.Settings, said struct{ choice, text string }) error {
	switch {
	case said.choice == rows.AsConfigured:
		return f.write(set, nil)
	case said.choice == rows.None && f.refusable:
		return f.write(set, new(string))
	case f.choices != nil && f.has(said.choice):
		return f.write(set, &said.choice)
	case f.choices == nil && said.choice == rows.Own && said.text != "":
		return f.write(set, &said.text)
	}
	return errValue
}

// wrong is the name of the words for what is wrong with what is sent for the field; empty for nothing.
func (f *field) wrong(said struct{ choice, text string }) string {
	var alone site.Settings
	if f.put(&alone, said) == nil && alone.Check() == nil {
		return ""
	}
	if f.typed.wrong == "" {
		return "fail.form"
	}
	return f.typed.wrong
}

func (c *room) showSettings(w http.ResponseWriter, r *http.Request) error {
	f, named, err := c.ServedAt(r, "settings")
	if err != nil {
		return err
	}
	return c.settings(w, http.StatusOK, f, named, named.Version, sentOf(named.Settings), nil)
}

// settings shows the form with what is sent, and what is wrong with it by the fields' names.
func (c *room) settings(w http.ResponseWriter, status int, f frame.Page, named site.Site, seen int64, s sent, wrong map[string]string) error {
	body := settingsPage{Site: named, Seen: seen}
	configured, told := c.ConfiguredOf(named.Key)
	for _, g := range groups {
		shown := shownGroup{ID: g.id, Title: g.title, Hint: g.hint}
		for _, one := range g.fields {
			field := c.shown(f.Words, one, s[one.name], configured)
			field.Told, field.Wrong = told, wrong[one.name]
			_, field.Own = one.read(named.Settings)
			shown.Fields = append(shown.Fields, field)
		}
		for _, to := range g.links {
			link := to.Value
			if strings.HasPrefix(link, "/") {
				link += strconv.FormatInt(named.ID, 10)
			} else {
				link = frame.SiteLink(named.ID) + "/" + link
			}
			shown.Links = append(shown.Links, frame.Option{Value: link, Name: to.Name})
		}
		body.Groups = append(body.Groups, shown)
	}
	if c.Fixed != nil {
		body.Fixed = c.Fixed(named.Key)
	}
	f.Body, f.Here = body, frame.SiteLink(named.ID)+"/settings"
	return c.Show(w, status, f)
}

// shown is the field with what is sent for it.
func (c *room) shown(w *words.Tongue, f field, said struct{ choice, text string }, configured site.Settings) shownField {
	field := shownField{Name: f.name, ID: strings.ReplaceAll(f.name, ".", "-"), Title: f.title, Hint: f.hint, Chosen: said.choice, Text: said.text, Typed: f.choices == nil,
		Example: f.example, Mode: f.mode, Most: f.most, Lines: f.lines}
	text, set := f.read(configured)
	if !set || text == "" && f.none == "" {
		text = f.otherwise
	}
	field.Configured = f.inWords(w, text)
	if f.refusable {
		field.Choices = append(field.Choices, frame.Option{Value: rows.None, Name: f.none})
	}
	for _, choice := range f.choices {
		if f.name == "callback_platform" && c.Platforms != nil && choice.Value != said.choice && !slices.Contains(c.Platforms(), choice.Value) {
			continue // this server has no such platform
		}
		field.Choices = append(field.Choices, choice)
	}
	if f.choices == nil {
		field.Choices = append(field.Choices, frame.Option{Value: rows.Own, Name: "settings.own"})
	}
	return field
}

// inWords is a value of the field as people read it.
func (f *field) inWords(w *words.Tongue, text string) string {
	if text == "" {
		return w.Text(f.none)
	}
	for _, choice := range f.choices {
		if choice.Value == text {
			return w.Text(choice.Name)
		}
	}
	if text = strings.ReplaceAll(text, "\n", " "); len(text) <= unbroken {
		text = words.Unbroken(text)
	}
	return text
}

// unbroken is the length of a value in bytes that stays on one line.
const unbroken = 24

func (c *room) changeSettings(w http.ResponseWriter, r *http.Request) error {
	f, named, err := c.ServedAt(r, "settings")
	if err != nil {
		return err
	}
	said, changed, wrong := sentIn(r), named.Settings, make(map[string]string)
	seen, _ := strconv.ParseInt(r.PostFormValue("version"), 10, 64)
	for _, g := range groups {
		for _, one := range g.fields {
			if words := one.wrong(said[one.name]); words != "" {
				wrong[one.name] = f.Words.Text(words)
			} else if err := one.put(&changed, said[one.name]); err != nil {
				return err
			}
		}
	}
	if len(wrong) > 0 {
		f.Problem = f.Words.Text("settings.wrong")
		return c.settings(w, http.StatusUnprocessableEntity, f, named, seen, said, wrong)
	}
	_, err = c.Sites.Change(r.Context(), named.Key, seen, changed, f.Operator.Login)
	switch {
	case errors.Is(err, site.ErrChanged):
		f.Problem = f.Words.Text("problem.changed")
		return c.settings(w, http.StatusConflict, f, named, named.Version, sentOf(named.Settings), nil)
	case err != nil:
		return err
	default:
		return c.Back(w, r, frame.SiteLink(named.ID)+"/settings", "settings.changed")
	}
}

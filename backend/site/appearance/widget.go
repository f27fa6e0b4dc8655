// Package appearance says how the panels of a site look and what they say: the settings, what is wrong with them, and what the
// site's own take from the configuration's. The site's settings have one, and whoever shows or changes it asks.
package appearance

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/locales"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// Widget sets how the panels of a site look and what they say. Fields that are nil or empty are not set: the
// configuration's value holds, and otherwise the default named here.
type Widget struct {
	// Whether pages show the button that opens the panels. Default: yes, for a site that has any widget settings.
	Launcher *bool `json:"launcher,omitempty"`

	// The side of the page on which the button and the panels are: `left` or `right`, which is the default.
	Side *string `json:"side,omitempty"`

	// The accent colour, as `#rgb` or `#rrggbb`. Default: `#1f6feb`.
	Color *string `json:"color,omitempty"`

	// The picture beside the greeting: an https address, or a path of the site. Empty: none.
	Avatar *string `json:"avatar,omitempty"`

	// The title of the panels. Default: the built-in title.
	Title Wording `json:"title,omitempty"`

	// The first words of the chat. Default: the built-in ones.
	Greeting Wording `json:"greeting,omitempty"`

	// The language of the panels: `en`, `ru`, or empty for the language of the page or else the visitor. Default:
	// empty.
	Language *string `json:"language,omitempty"`

	// The fields of the lead form, in their order. Default: name, phone, which is required, email and message.
	Fields []FormField `json:"fields,omitzero"`

	// Replacements for built-in texts, by their keys.
	Texts map[string]Wording `json:"texts,omitempty"`

	// Whether the chat is on. Default: yes.
	Chat *bool `json:"chat,omitempty"`

	// Whether visitors may send files in the chat. Default: yes.
	Files *bool `json:"files,omitempty"`

	// Whether visitors are asked how a conversation was when it is closed. Default: no.
	Rating *bool `json:"rating,omitempty"`

	// After how many seconds an unanswered conversation becomes a lead, from 10 to 86400. Default: 120.
	Unanswered *int `json:"unanswered,omitempty"`

	// After how many seconds an answer that the visitor has not read is mailed, up to 86400; 0: never. Default: 300.
	MailAnswers *int `json:"mail_answers,omitempty"`

	// Whether visitors can request a call, if calls can be ordered. Default: yes.
	Sitephone *bool `json:"sitephone,omitempty"`

	// Invitations that appear beside the button.
	Invitations []Invitation `json:"invitations,omitzero"`
}

// The values of [Widget.Side], and the default colour.
const (
	Left         = "left"
	Right        = "right"
	DefaultColor = "#1f6feb"
)

// Bounds of a widget's settings.
const (
	MaxFields      = 20
	MaxInvitations = 20
	// MaxTitle, MaxLabel and MaxText are in characters.
	MaxTitle = 80
	MaxLabel = 80
	MaxText  = 500
	// MaxAvatar is in bytes.
	MaxAvatar = 500
	// MaxAfter is in seconds.
	MaxAfter = 3600
	// MinUnanswered and MaxUnanswered are in seconds.
	MinUnanswered, MaxUnanswered = 10, 86400
	// MaxMailAnswers is in seconds.
	MaxMailAnswers = 86400
	// maxAddress is in bytes.
	maxAddress = 1024
)

var (
	color     = regexp.MustCompile(`^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)
	fieldName = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$`)
)

// Check returns an error for the first wrong value, and its name in JSON.
func (w *Widget) Check() (name string, err error) {
	if w == nil {
		return "", nil
	}
	for _, one := range []struct {
		name  string
		check func() error
	}{
		{"side", func() error { return checkEach(w.Side, CheckSide) }},
		{"color", func() error { return checkEach(w.Color, CheckColor) }},
		{"avatar", func() error { return checkEach(w.Avatar, CheckAvatar) }},
		{"title", func() error { return w.Title.Check("title", MaxTitle) }},
		{"greeting", func() error { return w.Greeting.Check("greeting", MaxText) }},
		{"language", func() error { return checkEach(w.Language, CheckLanguage) }},
		{"unanswered", w.checkUnanswered},
		{"mail_answers", w.checkMailAnswers},
		{"fields", w.checkFields},
		{"texts", w.checkTexts},
		{"invitations", w.checkInvitations},
	} {
		if err := one.check(); err != nil {
			return one.name, err
		}
	}
	return "", nil
}

func checkEach(value *string, check func(string) error) error {
	if value == nil {
		return nil
	}
	return check(*value)
}

// CheckSide returns an error for a wrong side of the page.
func CheckSide(side string) error {
	if side != Left && side != Right {
		return fmt.Errorf("side %.80q: expected left or right", side)
	}
	return nil
}

// CheckColor returns an error for a wrong accent colour.
func CheckColor(text string) error {
	if !color.MatchString(text) {
		return fmt.Errorf(`color %.80q: expected # and three or six of 0-9 and a-f, such as "#1f6feb"; in quotation marks in a Caddyfile`, text)
	}
	return nil
}

// CheckAvatar returns an error for a wrong address of the picture. An empty address means no picture.
func CheckAvatar(address string) error {
	wrong := fmt.Errorf("avatar %.200q: expected an https address or a path of the site, such as /team/vera.jpg", address)
	switch u, err := url.Parse(address); {
	case address == "":
		return nil
	case err != nil || strings.ContainsAny(address, " \"'<>\\`") || strings.ContainsFunc(address, isControl):
		return wrong
	case len(address) > MaxAvatar:
		return fmt.Errorf("avatar: expected an address of at most %d bytes", MaxAvatar)
	case u.Scheme == "https" && u.Host != "" && u.User == nil:
		return nil
	case u.Scheme == "" && u.Host == "" && strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//"):
		return nil
	default:
		return wrong
	}
}

// CheckLanguage returns an error that says what is wrong with the language of the panels. Empty is the page's or
// the visitor's.
func CheckLanguage(code string) error {
	if code != "" && !slices.Contains(locales.Languages, code) {
		return fmt.Errorf("language %.80q: expected %s", code, strings.Join(locales.Languages, " or "))
	}
	return nil
}

func (w *Widget) checkUnanswered() error {
	if w.Unanswered != nil && (*w.Unanswered < MinUnanswered || *w.Unanswered > MaxUnanswered) {
		return fmt.Errorf("unanswered: expected from %d seconds to a day", MinUnanswered)
	}
	return nil
}

func (w *Widget) checkMailAnswers() error {
	if w.MailAnswers != nil && (*w.MailAnswers < 0 || *w.MailAnswers > MaxMailAnswers) {
		return errors.New("mail_answers: expected from 0 seconds, which is never, to a day")
	}
	return nil
}

func (w *Widget) checkTexts() error {
	for _, key := range slices.Sorted(maps.Keys(w.Texts)) {
		if err := CheckTextKey(key); err != nil {
			return err
		}
		if err := w.Texts[key].Check("text "+key, MaxText); err != nil {
			return err
		}
	}
	return nil
}

// CheckTextKey reports whether there is a built-in text of the key, and else which are alike.
func CheckTextKey(key string) error {
	known := snippet.Texts(locales.Languages[0])
	if _, found := known[key]; found {
		return nil
	}
	subject, _, _ := strings.Cut(key, ".")
	var alike []string
	for name := range known {
		if of, _, _ := strings.Cut(name, "."); of == subject {
			alike = append(alike, name)
		}
	}
	if len(alike) == 0 {
		subjects := make(map[string]bool)
		for name := range known {
			of, _, _ := strings.Cut(name, ".")
			subjects[of+".…"] = true
		}
		alike = slices.Collect(maps.Keys(subjects))
	}
	slices.Sort(alike)
	return fmt.Errorf("text %.80q is not known: expected one of %s", key, strings.Join(alike, ", "))
}

// Over returns the widget with what is not set taken from the defaults, field by field, and
// texts one by one. It is nil where both are.
func (w *Widget) Over(defaults *Widget) *Widget {
	if w == nil {
		return defaults
	}
	if defaults == nil {
		return w
	}
	over := *w
	over.Launcher = cmp.Or(w.Launcher, defaults.Launcher)
	over.Side = cmp.Or(w.Side, defaults.Side)
	over.Color = cmp.Or(w.Color, defaults.Color)
	over.Avatar = cmp.Or(w.Avatar, defaults.Avatar)
	over.Title = w.Title.over(defaults.Title)
	over.Greeting = w.Greeting.over(defaults.Greeting)
	over.Language = cmp.Or(w.Language, defaults.Language)
	over.Chat = cmp.Or(w.Chat, defaults.Chat)
	over.Files = cmp.Or(w.Files, defaults.Files)
	over.Rating = cmp.Or(w.Rating, defaults.Rating)
	over.Sitephone = cmp.Or(w.Sitephone, defaults.Sitephone)
	over.MailAnswers = cmp.Or(w.MailAnswers, defaults.MailAnswers)
	over.Unanswered = cmp.Or(w.Unanswered, defaults.Unanswered)
	if w.Fields == nil {
		over.Fields = defaults.Fields
	}
	if w.Invitations == nil {
		over.Invitations = defaults.Invitations
	}
	if len(defaults.Texts) > 0 {
		over.Texts = maps.Clone(defaults.Texts)
		for key, text := range w.Texts {
			over.Texts[key] = text.over(defaults.Texts[key])
		}
	}
	return &over
}

// HasLauncher reports whether pages show the button by themselves: not before anybody has said
// anything of the widget, so that no page invites to talk to nobody.
func (w *Widget) HasLauncher() bool { return w != nil && (w.Launcher == nil || *w.Launcher) }

func isControl(r rune) bool {
	return r < ' ' || 0x7f <= r && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
}

package caddymodule

import (
	"errors"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
)

// The lines of a widget's block speak of the handler's widget, those of a field's block of
// its last field, and those of an invitation's block of its last invitation.

func readWidget(h *Handler, values []string) error {
	if len(values) != 0 {
		return errors.New("expected: widget, and a block of its settings")
	}
	h.Widget = new(appearance.Widget)
	return nil
}

// wording reads a text of at most so many characters, perhaps behind its language, into a wording.
func wording(of *appearance.Wording, line string, most int, values []string) error {
	language := appearance.EveryLanguage
	switch len(values) {
	case 1:
	case 2:
		language = values[0]
		if err := appearance.CheckLanguage(language); err != nil || language == "" {
			return fmt.Errorf("%s %q: expected en or ru before the text, or the text alone, in quotation marks when there are spaces", line, language)
		}
	default:
		return fmt.Errorf("expected: %s [LANGUAGE] TEXT, with the text in quotation marks when there are spaces", line)
	}
	if _, given := (*of)[language]; given {
		return fmt.Errorf("%s is given already for this language: expected it once", line)
	}
	*of = of.Set(language, values[len(values)-1])
	return of.Check(line, most)
}

// wordingLine is a line of a widget's block with a text.
func wordingLine(line string, most int, of func(*appearance.Widget) *appearance.Wording) subdirective {
	return subdirective{many: true, read: func(h *Handler, values []string) error {
		return wording(of(h.Widget), line, most, values)
	}}
}

// switchLine is a line of a widget's block that is on or off.
func switchLine(line string, of func(*appearance.Widget) **bool) subdirective {
	return subdirective{read: func(h *Handler, values []string) error {
		on, err := onOrOff(line, values)
		*of(h.Widget) = &on
		return err
	}}
}

// wordLine is a line of a widget's block with one word.
func wordLine(line, expected string, check func(string) error, of func(*appearance.Widget) **string) subdirective {
	return subdirective{read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: " + line + " " + expected)
		}
		*of(h.Widget) = &values[0]
		return check(values[0])
	}}
}

var widgetBlock = block{
	of:       "widget",
	expected: "launcher, side, color, avatar, title, greeting, language, field, text, chat, files, rating, unanswered, mail_answers, sitephone or invite",
	lines: map[string]subdirective{
		"launcher":     switchLine("launcher", func(w *appearance.Widget) **bool { return &w.Launcher }),
		"chat":         switchLine("chat", func(w *appearance.Widget) **bool { return &w.Chat }),
		"files":        switchLine("files", func(w *appearance.Widget) **bool { return &w.Files }),
		"rating":       switchLine("rating", func(w *appearance.Widget) **bool { return &w.Rating }),
		"sitephone":    switchLine("sitephone", func(w *appearance.Widget) **bool { return &w.Sitephone }),
		"unanswered":   {read: readUnanswered},
		"mail_answers": {read: readMailAnswers},
		"side":         wordLine("side", "left, or: side right", appearance.CheckSide, func(w *appearance.Widget) **string { return &w.Side }),
		"color":        wordLine("color", `COLOR in quotation marks, such as color "#1f6feb"`, appearance.CheckColor, func(w *appearance.Widget) **string { return &w.Color }),
		"avatar":       wordLine("avatar", "ADDRESS, such as avatar /team/vera.jpg", appearance.CheckAvatar, func(w *appearance.Widget) **string { return &w.Avatar }),
		"language":     wordLine("language", "en, or: language ru", appearance.CheckLanguage, func(w *appearance.Widget) **string { return &w.Language }),
		"title":        wordingLine("title", appearance.MaxTitle, func(w *appearance.Widget) *appearance.Wording { return &w.Title }),
		"greeting":     wordingLine("greeting", appearance.MaxText, func(w *appearance.Widget) *appearance.Wording { return &w.Greeting }),
		"text":         {many: true, read: readText},
		"field":        {many: true, read: readField, block: &fieldBlock},
		"invite":       {many: true, read: readInvite, block: &inviteBlock},
	},
	end: func(h *Handler) error { _, err := h.Widget.Check(); return err },
}

func readText(h *Handler, values []string) error {
	if len(values) < 2 {
		return errors.New("expected: text KEY [LANGUAGE] TEXT, with the text in quotation marks when there are spaces")
	}
	key := values[0]
	if err := appearance.CheckTextKey(key); err != nil {
		return err
	}
	text := h.Widget.Texts[key]
	if err := wording(&text, "text "+key, appearance.MaxText, values[1:]); err != nil {
		return err
	}
	if h.Widget.Texts == nil {
		h.Widget.Texts = make(map[string]appearance.Wording)
	}
	h.Widget.Texts[key] = text
	return nil
}

func readUnanswered(h *Handler, values []string) error {
	if len(values) != 1 {
		return errors.New("expected: unanswered TIME, such as unanswered 2m")
	}
	after, err := caddy.ParseDuration(values[0])
	seconds := int(after / time.Second)
	if err != nil || after%time.Second != 0 || seconds < appearance.MinUnanswered || seconds > appearance.MaxUnanswered {
		return fmt.Errorf("unanswered %q: expected whole seconds from 10s to 24h, such as 90s or 2m", values[0])
	}
	h.Widget.Unanswered = &seconds
	return nil
}

func readMailAnswers(h *Handler, values []string) error {
	if len(values) != 1 {
		return errors.New("expected: mail_answers TIME, such as mail_answers 5m, or: mail_answers off")
	}
	seconds := 0
	if values[0] != "off" {
		after, err := caddy.ParseDuration(values[0])
		if seconds = int(after / time.Second); err != nil || after%time.Second != 0 || seconds < 1 || seconds > appearance.MaxMailAnswers {
			return fmt.Errorf("mail_answers %q: expected off, or whole seconds up to 24h, such as 90s or 5m", values[0])
		}
	}
	h.Widget.MailAnswers = &seconds
	return nil
}

func readField(h *Handler, values []string) error {
	const expected = `expected: field NAME required|optional [LABEL], such as field city optional "City"`
	if len(values) < 2 || len(values) > 3 || values[1] != "required" && values[1] != "optional" {
		return errors.New(expected)
	}
	field := appearance.FormField{Name: values[0], Required: values[1] == "required"}
	if len(values) == 3 {
		field.Label = field.Label.Set(appearance.EveryLanguage, values[2])
	}
	for _, other := range h.Widget.Fields {
		if other.Name == field.Name {
			return fmt.Errorf("field %q is given already: expected it once", field.Name)
		}
	}
	if len(h.Widget.Fields) == appearance.MaxFields {
		return fmt.Errorf("expected at most %d fields", appearance.MaxFields)
	}
	h.Widget.Fields = append(h.Widget.Fields, field)
	return nil // a label may follow
}

var fieldBlock = block{
	of:       "field",
	expected: "label",
	lines: map[string]subdirective{
		"label": {many: true, read: func(h *Handler, values []string) error {
			last := &h.Widget.Fields[len(h.Widget.Fields)-1]
			return wording(&last.Label, "label", appearance.MaxLabel, values)
		}},
	},
	end: func(h *Handler) error { return h.Widget.Fields[len(h.Widget.Fields)-1].Check() },
}

func readInvite(h *Handler, values []string) error {
	switch {
	case len(values) != 0:
		return errors.New("expected: invite, and a block that says when and what")
	case len(h.Widget.Invitations) == appearance.MaxInvitations:
		return fmt.Errorf("expected at most %d lines invite", appearance.MaxInvitations)
	}
	h.Widget.Invitations = append(h.Widget.Invitations, appearance.Invitation{})
	return nil
}

// inviteLine is a line that changes the last invitation.
func inviteLine(expected string, change func(*appearance.Invitation, string) error) subdirective {
	return subdirective{read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: " + expected)
		}
		last := &h.Widget.Invitations[len(h.Widget.Invitations)-1]
		if err := change(last, values[0]); err != nil {
			return err
		}
		return last.Check()
	}}
}

var inviteBlock = block{
	of:       "invite",
	expected: "after, address, source or text",
	lines: map[string]subdirective{
		"after": inviteLine("after TIME, such as after 30s", func(i *appearance.Invitation, value string) error {
			after, err := caddy.ParseDuration(value)
			if err != nil || after < time.Second || after%time.Second != 0 || after > appearance.MaxAfter*time.Second {
				return fmt.Errorf("after %q: expected whole seconds up to an hour, such as 30s or 2m", value)
			}
			i.After = int(after / time.Second)
			return nil
		}),
		"address": inviteLine("address PATH, with * for any text, such as address /cart*", func(i *appearance.Invitation, value string) error {
			i.Address = value
			return nil
		}),
		"source": inviteLine("source CONDITION, such as source utm_source=news*", func(i *appearance.Invitation, value string) error {
			i.Source = value
			return nil
		}),
		"text": {many: true, read: func(h *Handler, values []string) error {
			return wording(&h.Widget.Invitations[len(h.Widget.Invitations)-1].Text, "text", appearance.MaxText, values)
		}},
	},
	end: func(h *Handler) error { return h.Widget.Invitations[len(h.Widget.Invitations)-1].Complete() },
}

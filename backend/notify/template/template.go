// Package template fills the texts that owners of sites have written for mails and webhooks with what has happened. A
// template has placeholders and conditions, and nothing else: what it costs to fill it grows with its size alone.
package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode"
)

// The content types that a webhook's own template may have.
const (
	JSON = "application/json"
	Form = "application/x-www-form-urlencoded"
	Text = "text/plain; charset=utf-8"
)

// ContentTypes are the content types that a webhook's own template may have.
var ContentTypes = []string{JSON, Form, Text}

// Placeholders are the names that templates may have, as in "{{.name}}" and
// "{{if .name}}…{{else}}…{{end}}". One that the event does not know is empty.
var Placeholders = []string{"event", "site", "time", "name", "phone", "email", "message", "form", "fields", "sale", "site_error", "page", "source", "campaign",
	"called", "caller", "status", "talk", "recording", "about", "link"}

const (
	// MaxSize bounds a template in bytes, and MaxSubject that of a subject.
	MaxSize    = 4000
	MaxSubject = 200
	// maxValue bounds, in characters, what takes the place of a placeholder.
	maxValue = 1000
	// maxFilled bounds, in bytes, what a template may become with the longest values.
	maxFilled = 256 << 10
	// Subject is what stands for the content type of a subject.
	Subject = "subject"
)

// escapes are how values are written, so that they are values and nothing else, by the
// content type of what they stand in. No content type is the text of a mail.
var escapes = map[string]func(string) string{
	JSON: func(value string) string {
		text, err := json.Marshal(value)
		if err != nil { // texts do not fail
			return ""
		}
		return string(text[1 : len(text)-1])
	},
	Form:    url.QueryEscape,
	Text:    Readable,
	"":      Readable,
	Subject: func(value string) string { return strings.Join(strings.Fields(Readable(value)), " ") },
}

// Readable is the value without control characters, and without those that turn text around.
func Readable(value string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) || r == '\u00a0' {
			return r
		}
		return -1
	}, strings.ReplaceAll(value, "\r\n", "\n"))
}

// Check returns an error that says what is wrong with the template of a text of the content type; the
// error's text may be shown. Empty is right.
func Check(text, contentType string) error {
	limit := MaxSize
	if contentType == Subject {
		limit = MaxSubject
		if strings.ContainsFunc(text, unicode.IsControl) {
			return errors.New("a subject is one line")
		}
	}
	if len(text) > limit {
		return fmt.Errorf("expected at most %d bytes", limit)
	}
	if text == "" {
		return nil
	}
	if _, err := parsed(text); err != nil {
		return err
	}
	for _, value := range []string{"", "\"\\{}\n", strings.Repeat("\u0001", maxValue), strings.Repeat("я", maxValue)} {
		sample := make(map[string]string)
		for _, name := range Placeholders {
			sample[name] = value
		}
		filled, err := Fill(text, contentType, sample)
		if err != nil {
			return err
		}
		if len(filled) > maxFilled {
			return errors.New("too many placeholders")
		}
	}
	return nil
}

// parsed is the template, if it has nothing but text, placeholders and conditions: what it
// costs to fill it grows with its size alone.
func parsed(text string) (*template.Template, error) {
	t, err := template.New("").Option("missingkey=zero").Parse(text)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "template: "))
	}
	if len(t.Templates()) > 1 {
		return nil, errors.New("a template has no others in it")
	}
	if t.Tree == nil || t.Root == nil {
		return t, nil
	}
	return t, plainList(t.Root)
}

func plainList(list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		var err error
		switch n := node.(type) {
		case *parse.TextNode, *parse.CommentNode:
		case *parse.ActionNode:
			err = placeholder(n.Pipe)
		case *parse.IfNode:
			if err = placeholder(n.Pipe); err == nil {
				if err = plainList(n.List); err == nil {
					err = plainList(n.ElseList)
				}
			}
		default:
			err = fmt.Errorf("%s is not known here", node)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// placeholder refuses what is more than the name of one.
func placeholder(pipe *parse.PipeNode) error {
	if pipe != nil && len(pipe.Decl) == 0 && len(pipe.Cmds) == 1 && len(pipe.Cmds[0].Args) == 1 {
		if field, is := pipe.Cmds[0].Args[0].(*parse.FieldNode); is && len(field.Ident) == 1 && slices.Contains(Placeholders, field.Ident[0]) {
			return nil
		}
	}
	return fmt.Errorf("%s is no placeholder: expected one of .%s", pipe, strings.Join(Placeholders, ", ."))
}

// Fill puts the values into the template of a text of the content type.
func Fill(text, contentType string, v map[string]string) (string, error) {
	t, err := parsed(text)
	if err != nil {
		return "", err
	}
	escaped := make(map[string]string, len(v))
	for name, value := range v {
		if runes := []rune(strings.ToValidUTF8(value, "\ufffd")); len(runes) > maxValue {
			value = string(runes[:maxValue-1]) + "…"
		}
		escaped[name] = escapes[contentType](value)
	}
	var filled strings.Builder
	if err := t.Execute(&filled, escaped); err != nil {
		return "", err
	}
	if contentType == JSON && !json.Valid([]byte(filled.String())) {
		return "", errors.New("filled, it is not JSON; placeholders stand within quotation marks")
	}
	return filled.String(), nil
}

package notify

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// ErrNoServer means that no mail server is configured.
var ErrNoServer = errors.New("no mail server is configured")

// Letter is a mail to one person who has asked for it.
type Letter struct {
	// ID tells the mail from all others, with letters, digits, - and . in it.
	To, Subject, Text, ID string
	At                    time.Time
	// Language is the code of that of the text.
	Language string
}

// Sends reports whether mails can be sent.
func (d *Deliveries) Sends() bool { return d.settings().Mail != nil }

// Send hands the letter to the mail server. It returns [ErrNoServer] when there is none. never
// is true when another attempt would fare no better.
func (d *Deliveries) Send(ctx context.Context, l Letter) (never bool, err error) {
	server := d.settings().Mail
	if server == nil {
		return false, ErrNoServer
	}
	if err := CheckMailbox(l.To); err != nil {
		return true, err
	}
	sender, err := mail.ParseAddress(server.From)
	if err != nil {
		return false, fmt.Errorf("reading the sender: %w", err)
	}
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(sender)
	m.ToMailAddress(&mail.Address{Address: mailboxOf(l.To)})
	m.Subject(l.Subject)
	m.SetDateWithValue(l.At)
	_, host, _ := strings.Cut(sender.Address, "@")
	m.SetMessageIDWithValue(l.ID + "@" + host)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(gomail.TypeTextPlain, l.Text)
	err = m.AddAlternativeHTMLTemplate(page, struct {
		Language, Subject string
		Paragraphs        [][]string
	}{l.Language, l.Subject, paragraphs(l.Text)})
	if err != nil {
		return true, fmt.Errorf("writing a letter: %w", err)
	}
	if err := server.send(ctx, m); err != nil {
		var f *failure
		return errors.As(err, &f) && f.never, fmt.Errorf("sending a letter: %w", err)
	}
	return false, nil
}

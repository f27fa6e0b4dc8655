package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/mail"
	"net/netip"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"
)

// MailServer is the server that takes mail.
type MailServer struct {
	Host string
	Port int
	// TLS is spoken from the first byte; otherwise after STARTTLS, or not at all to a
	// server on this machine.
	TLS            bool
	User, Password string
	// From is the sender, such as "Shop <desk@shop.example>".
	From string
}

// The ports of mail servers (RFC 8314).
const (
	submissionPort  = 587
	submissionsPort = 465
)

// ParseMailServer reads the address of a mail server, such as
// "smtp://user@mail.example:587" or "smtps://mail.example", and checks the sender. The
// error's text may be shown.
func ParseMailServer(address, password, from string) (MailServer, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return MailServer{}, errors.New("expected the address of a mail server, such as smtp://user@mail.example:587 or smtps://user@mail.example")
	}
	if _, set := u.User.Password(); set {
		return MailServer{}, errors.New("expected the password in the block, not in the address")
	}
	s := MailServer{Host: u.Hostname(), Port: submissionPort, TLS: u.Scheme == "smtps", User: u.User.Username(), Password: password, From: from}
	if s.TLS {
		s.Port = submissionsPort
	}
	if text := u.Port(); text != "" {
		if s.Port, err = strconv.Atoi(text); err != nil || s.Port < 1 || s.Port > 65535 {
			return MailServer{}, errors.New("expected a port from 1 to 65535")
		}
	}
	if (s.User == "") != (s.Password == "") {
		return MailServer{}, errors.New("expected a user in the address and a password, or neither")
	}
	return s, CheckSender(from)
}

// CheckSender refuses what is no sender of mails, such as "Shop <desk@shop.example>".
func CheckSender(from string) error {
	sender, err := mail.ParseAddress(from)
	if err == nil {
		err = CheckMailbox(sender.Address)
	}
	if err != nil {
		return errors.New("from: expected a sender such as desk@shop.example, or Shop <desk@shop.example>")
	}
	return nil
}

// here reports whether the server is on this machine.
func (s MailServer) here() bool {
	ip, err := netip.ParseAddr(s.Host)
	return s.Host == "localhost" || err == nil && ip.IsLoopback()
}

func (s MailServer) client() (*gomail.Client, error) {
	options := []gomail.Option{gomail.WithPort(s.Port), gomail.WithTimeout(attemptTimeout), gomail.WithTLSPolicy(gomail.TLSMandatory), gomail.WithoutNoop(), gomail.WithoutRset()}
	auth := gomail.SMTPAuthAutoDiscover
	if s.TLS {
		options = append(options, gomail.WithSSL())
	} else if s.here() {
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
		auth = gomail.SMTPAuthPlainNoEnc
	}
	if s.User != "" {
		options = append(options, gomail.WithSMTPAuth(auth), gomail.WithUsername(s.User), gomail.WithPassword(s.Password))
	}
	return gomail.NewClient(s.Host, options...)
}

// Written is a mail as it is read.
type Written struct{ Subject, Text string }

// write fills the templates of the endpoint, or the usual ones of its language.
func (e Endpoint) write(v values) (w Written, err error) {
	if w.Subject, err = fill(cmp.Or(e.Subject, usualSubject), subjectLine, v); err == nil {
		w.Text, err = fill(cmp.Or(e.Template, wording(mailTexts[e.Language]).text()), "", v)
	}
	if runes := []rune(w.Subject); len(runes) > maxSubject {
		w.Subject = string(runes[:maxSubject-1]) + "…"
	}
	w.Text = strings.TrimSpace(w.Text) + "\n"
	return w, err
}

// mailboxOf is the address with the name of its host as mail servers know it: in ASCII (RFC 5891).
func mailboxOf(address string) string {
	at := strings.LastIndexByte(address, '@')
	if host, err := idna.Lookup.ToASCII(address[at+1:]); err == nil {
		return address[:at+1] + host
	}
	return address
}

// page is the text as HTML.
var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="{{.Language}}"><head><meta charset="utf-8"><title>{{.Subject}}</title></head>
<body style="margin:16px;font:15px/1.5 system-ui,sans-serif">
{{range .Paragraphs}}<p style="margin:0 0 12px">{{range $i, $line := .}}{{if $i}}<br>
{{end}}{{$line}}{{end}}</p>
{{end}}</body></html>
`))

// paragraphs are the lines of the text, which blank lines part.
func paragraphs(text string) (parts [][]string) {
	for part := range strings.SplitSeq(text, "\n\n") {
		if lines := slices.DeleteFunc(strings.Split(part, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" }); len(lines) > 0 {
			parts = append(parts, lines)
		}
	}
	return parts
}

// letter is the mail to the endpoint.
func (e Endpoint) letter(r Delivery, v values, from string) (*gomail.Msg, error) {
	w, err := e.write(v)
	if err != nil {
		return nil, err
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, err
	}
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(sender)
	m.ToMailAddress(&mail.Address{Address: mailboxOf(e.Address)})
	// As it was typed by a visitor. One in another script may keep the mail from being taken, and stands in the text.
	if reply := mailboxOf(v["email"]); CheckMailbox(reply) == nil && isASCII(reply) {
		m.ReplyToMailAddress(&mail.Address{Address: reply})
	}
	m.Subject(w.Subject)
	m.SetDateWithValue(r.At)
	_, host, _ := strings.Cut(sender.Address, "@")
	m.SetMessageIDWithValue(r.ID() + "@" + host)
	m.SetGenHeader("Auto-Submitted", "auto-generated") // so that nobody's absence is answered
	m.SetBodyString(gomail.TypeTextPlain, w.Text)
	return m, m.AddAlternativeHTMLTemplate(page, struct {
		Language, Subject string
		Paragraphs        [][]string
	}{e.Language, w.Subject, paragraphs(w.Text)})
}

// mail sends the message to the address. The error is a failure.
func (d *Deliveries) mail(ctx context.Context, e Endpoint, r Delivery, _ Message, v values) error {
	server := d.settings().Mail
	if server == nil {
		return &failure{reason: reasonNoServer, away: true}
	}
	letter, err := e.letter(r, v, server.From)
	if err != nil {
		return &failure{reason: reasonTemplate}
	}
	return server.send(ctx, letter)
}

// send hands the mail to the server. The error is a failure, or else our own.
func (s MailServer) send(ctx context.Context, m *gomail.Msg) error {
	client, err := s.client()
	if err != nil {
		return fmt.Errorf("setting up the mail client: %w", err)
	}
	connection, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return unsentMail(err)
	}
	// What was taken is taken, whatever becomes of the connection.
	defer func() { _ = client.CloseWithSMTPClient(connection) }()
	if knows, _ := connection.Extension("SMTPUTF8"); !knows && !isASCII(m.GetTo()[0].Address) { // RFC 6531
		return &failure{reason: reasonASCII, never: true}
	}
	if err := client.SendWithSMTPClient(connection, m); err != nil {
		return refusedMail(err)
	}
	return nil
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// unsentMail is the failure to come so far that the server hears of a mail: whatever it
// says, it says to all mails.
func unsentMail(err error) *failure {
	f := unsent(err)
	var said *textproto.Error
	if errors.As(err, &said) {
		f.reason, f.status, f.detail = reasonSMTP, said.Code, detail(said.Msg)
	} else if strings.Contains(err.Error(), "does not support STARTTLS") {
		f.reason, f.detail = reasonTLS, "no STARTTLS"
	}
	return f
}

// refusedMail is the server's answer to one mail.
func refusedMail(err error) *failure {
	var sent *gomail.SendError
	if !errors.As(err, &sent) || sent.ErrorCode() == 0 {
		return unsent(err)
	}
	f := &failure{reason: reasonSMTP, status: sent.ErrorCode(), never: !sent.IsTemp()}
	switch {
	case sent.Reason == gomail.ErrSMTPMailFrom || sent.Reason == gomail.ErrSMTPRcptTo:
		text, _, _ := strings.Cut(strings.TrimPrefix(sent.Error(), sent.Reason.String()+": "), ", affected ")
		f.detail = detail(strings.TrimPrefix(text, strconv.Itoa(f.status)+" "))
	default: // it has read the mail and may repeat what stands there
		f.detail = sent.EnhancedStatusCode()
	}
	return f
}

// maxDetail bounds what is kept of an answer, in characters.
const maxDetail = 200

func detail(text string) string {
	text = strings.Join(strings.Fields(readable(strings.ToValidUTF8(text, "?"))), " ")
	if runes := []rune(text); len(runes) > maxDetail {
		text = string(runes[:maxDetail-1]) + "…"
	}
	return text
}

// Preview is the mail that a made-up lead would make, by the endpoint's templates. The error is
// an [Invalid].
func (d *Deliveries) Preview(e Endpoint, site string) (Written, error) {
	if err := CheckTemplate(e.Subject, subjectLine); err != nil {
		return Written{}, &Invalid{"subject", "template", err}
	}
	if err := CheckTemplate(e.Template, ""); err != nil {
		return Written{}, &Invalid{"template", "template", err}
	}
	return e.write(d.sample(e.Language, site))
}

// Package mail hands letters to the mail server that the configuration names.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"net/mail"
	"net/netip"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/notify/template"
)

// Server is the server that takes mail.
type Server struct {
	Host string
	Port int
	// TLS is spoken from the first byte; otherwise after STARTTLS, or not at all to a server on this machine.
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

// ParseServer reads the address of a mail server, such as "smtp://user@mail.example:587" or "smtps://mail.example", and
// checks the sender. The error's text may be shown.
func ParseServer(address, password, from string) (Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return Server{}, errors.New("expected the address of a mail server, such as smtp://user@mail.example:587 or smtps://user@mail.example")
	}
	if _, set := u.User.Password(); set {
		return Server{}, errors.New("expected the password in the block, not in the address")
	}
	s := Server{Host: u.Hostname(), Port: submissionPort, TLS: u.Scheme == "smtps", User: u.User.Username(), Password: password, From: from}
	if s.TLS {
		s.Port = submissionsPort
	}
	if text := u.Port(); text != "" {
		if s.Port, err = strconv.Atoi(text); err != nil || s.Port < 1 || s.Port > 65535 {
			return Server{}, errors.New("expected a port from 1 to 65535")
		}
	}
	if (s.User == "") != (s.Password == "") {
		return Server{}, errors.New("expected a user in the address and a password, or neither")
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

// maxMailbox is how long an address may be, in bytes (RFC 5321).
const maxMailbox = 254

// CheckMailbox refuses what is no address of mail, such as "desk@shop.example", and all that could be more than one.
func CheckMailbox(address string) error {
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || len(address) > maxMailbox || !utf8.ValidString(address) ||
		strings.ContainsFunc(address, func(r rune) bool {
			return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune(`"<>,;:\()`, r)
		}) {
		return errors.New("expected an address such as desk@shop.example")
	}
	return nil
}

// here reports whether the server is on this machine.
func (s Server) here() bool {
	ip, err := netip.ParseAddr(s.Host)
	return s.Host == "localhost" || err == nil && ip.IsLoopback()
}

func (s Server) client() (*gomail.Client, error) {
	options := []gomail.Option{gomail.WithPort(s.Port), gomail.WithTimeout(attempt.Timeout), gomail.WithTLSPolicy(gomail.TLSMandatory), gomail.WithoutNoop(), gomail.WithoutRset()}
	auth := gomail.SMTPAuthAutoDiscover
	if s.TLS {
		options = append(options, gomail.WithSSL())
	} else if s.here() {
		// It may offer TLS, and take passwords only then. Its certificate is often one of its own making, and what it
		// is sent does not leave the machine.
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic), gomail.WithTLSConfig(&tls.Config{ServerName: s.Host, InsecureSkipVerify: true}))
		auth = gomail.SMTPAuthPlainNoEnc
	}
	if s.User != "" {
		options = append(options, gomail.WithSMTPAuth(auth), gomail.WithUsername(s.User), gomail.WithPassword(s.Password))
	}
	return gomail.NewClient(s.Host, options...)
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
var page = htmltemplate.Must(htmltemplate.New("").Parse(`<!doctype html>
<html lang="{{.Language}}"><head><meta charset="utf-8"><title>{{.Subject}}</title></head>
<body style="margin:16px;font:15px/1.5 system-ui,sans-serif">
{{range .Paragraphs}}<p style="margin:0 0 12px">{{range $i, $line := .}}{{if $i}}<br>
{{end}}{{if or (eq $line $.Link) (eq $line $.Stop)}}<a href="{{$line}}">{{$line}}</a>{{else}}{{$line}}{{end}}{{end}}</p>
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

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// Letter is a mail to one mailbox.
type Letter struct {
	To, Subject, Text string
	// HTML is the letter as a page of HTML; empty for one that is made of the text.
	HTML string
	// ID tells the mail from all others, with letters, digits, -, _ and . in it.
	ID string
	At time.Time
	// Language is the code of that of the text.
	Language string
	// ReplyTo is to whom an answer goes, as a visitor has typed it; what is no mailbox is left out.
	ReplyTo string
	// Link is the address on a line of the text that is a link; empty for none.
	Link string
	// Stop is the address at which the reader asks for no more such mails, as mail programs do (RFC 2369, RFC 8058); empty
	// for none. A line of the text with it is a link.
	Stop string
}

// Send hands the letter to the server. The error is an [attempt.Failure], or else our own.
func (s Server) Send(ctx context.Context, l Letter) error {
	m, err := l.message(s.From)
	if err != nil {
		return fmt.Errorf("writing a letter: %w", err)
	}

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
		return &attempt.Failure{Reason: attempt.ASCII, Never: true}
	}
	if err := client.SendWithSMTPClient(connection, m); err != nil {
		return refusedMail(err)
	}
	return nil
}

// message is the letter as it is sent.
func (l Letter) message(from string) (*gomail.Msg, error) {
	if CheckMailbox(l.To) != nil {
		return nil, &attempt.Failure{Reason: attempt.Internal, Never: true}
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, err
	}
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(sender)
	m.ToMailAddress(&mail.Address{Address: mailboxOf(l.To)})
	// One in another script may keep the mail from being taken, and stands in the text.
	if reply := mailboxOf(l.ReplyTo); CheckMailbox(reply) == nil && isASCII(reply) {
		m.ReplyToMailAddress(&mail.Address{Address: reply})
	}
	m.Subject(l.Subject)
	m.SetDateWithValue(l.At)
	_, host, _ := strings.Cut(sender.Address, "@")
	m.SetMessageIDWithValue(l.ID + "@" + host)
	m.SetGenHeader("Auto-Submitted", "auto-generated") // so that nobody's absence is answered
	if l.Stop != "" {
		m.SetGenHeader("X-Auto-Response-Suppress", "All") // the same for Exchange
		m.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+l.Stop+">")
		if strings.HasPrefix(l.Stop, "https://") {
			m.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
		}
	}
	m.SetBodyString(gomail.TypeTextPlain, l.Text)
	if l.HTML != "" {
		m.AddAlternativeString(gomail.TypeTextHTML, l.HTML)
		return m, nil
	}
	return m, m.AddAlternativeHTMLTemplate(page, struct {
		Language, Subject, Link, Stop string
		Paragraphs                    [][]string
	}{l.Language, l.Subject, l.Link, l.Stop, paragraphs(l.Text)})
}

// unsentMail is the failure to come so far that the server hears of a mail: whatever it says, it says to all mails.
func unsentMail(err error) *attempt.Failure {
	f := attempt.Unsent(err)
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		f.Reason, f.Status, f.Detail = attempt.SMTP, said.Code, detail(said.Msg)
	} else if strings.Contains(err.Error(), "does not support STARTTLS") {
		f.Reason, f.Detail = attempt.TLS, "no STARTTLS"
	}
	return f
}

// refusedMail is the server's answer to one mail.
func refusedMail(err error) *attempt.Failure {
	var sent *gomail.SendError
	if !errors.As(err, &sent) || sent.ErrorCode() == 0 {
		return attempt.Unsent(err)
	}
	f := &attempt.Failure{Reason: attempt.SMTP, Status: sent.ErrorCode(), Never: !sent.IsTemp()}
	switch sent.Reason {
	case gomail.ErrSMTPMailFrom, gomail.ErrSMTPRcptTo:
		text, _, _ := strings.Cut(strings.TrimPrefix(sent.Error(), sent.Reason.String()+": "), ", affected ")
		f.Detail = detail(strings.TrimPrefix(text, strconv.Itoa(f.Status)+" "))
	default: // it has read the mail and may repeat what stands there
		f.Detail = sent.EnhancedStatusCode()
	}
	return f
}

// maxDetail bounds what is kept of an answer, in characters.
const maxDetail = 200

func detail(text string) string {
	text = strings.Join(strings.Fields(template.Readable(strings.ToValidUTF8(text, "?"))), " ")
	if runes := []rune(text); len(runes) > maxDetail {
		text = string(runes[:maxDetail-1]) + "…"
	}
	return text
}

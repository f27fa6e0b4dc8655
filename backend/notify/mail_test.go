package notify_test

import (
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/locales"
)

// postOffice is a mail server.
type postOffice struct {
	mu      sync.Mutex
	letters []letter
	refuse  func(to string) error // at the recipient
	server  *smtp.Server
	address string
	close   func()
}

// letter is a mail as the server took it.
type letter struct {
	from, to, user string
	*netmail.Message
	plain, html string
}

// postOffice starts a mail server at the address, or at a free one.
func (w *world) postOffice(address string, settings ...func(*smtp.Server)) *postOffice {
	w.t.Helper()
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	require.NoError(w.t, err)
	o := &postOffice{address: listener.Addr().String()}
	o.server = smtp.NewServer(o)
	o.server.AllowInsecureAuth = true
	o.server.ReadTimeout, o.server.WriteTimeout = time.Minute, time.Minute
	for _, set := range settings {
		set(o.server)
	}
	go func() { _ = o.server.Serve(listener) }()
	o.close = sync.OnceFunc(func() {
		listener.Close() // which the server may not know yet
		o.server.Close()
	})
	w.t.Cleanup(o.close)
	server, err := mail.ParseServer("smtp://desk@"+o.address, "secret", "Лампы <desk@shop.example>")
	require.NoError(w.t, err)
	w.settings.Store(&notify.Settings{Mail: &server, Console: "https://desk.example/"})
	return o
}

func (o *postOffice) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{office: o}, nil }

func (o *postOffice) list() []letter {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]letter(nil), o.letters...)
}

func (o *postOffice) wait(t testing.TB, n int) []letter {
	t.Helper()
	require.Eventually(t, func() bool { return len(o.list()) >= n }, time.Minute, 10*time.Millisecond, "%d mails are to come", n)
	return o.list()
}

// session is one of the mail server's.
type session struct {
	office *postOffice
	letter
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "desk" || password != "secret" {
			return smtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.user == "" {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	if s.office.refuse != nil {
		return s.office.refuse(to)
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	message, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	s.Message = message
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	for parts := multipart.NewReader(message.Body, parameters["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			return err
		}
		switch kind := part.Header.Get("Content-Type"); {
		case strings.HasPrefix(kind, "text/plain"):
			s.plain = strings.ReplaceAll(string(text), "\r\n", "\n")
		case strings.HasPrefix(kind, "text/html"):
			s.html = string(text)
		}
	}
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	s.office.letters = append(s.office.letters, s.letter)
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// subject is that of the mail, as it is read.
func (l letter) subject(t testing.TB) string {
	t.Helper()
	text, err := new(mime.WordDecoder).DecodeHeader(l.Header.Get("Subject"))
	require.NoError(t, err)
	return text
}

func TestLeadGoesByMail(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.postOffice("")
		w.endpoint(notify.Endpoint{Kind: notify.Mail, Address: "sales@лампы.example", Language: "ru"})
		w.run()
		w.lead(func(s *submission.Submission) { s.Marks = []string{lead.Trap} }) // nobody is told of spam
		l := w.lead(func(s *submission.Submission) { s.Name, s.Message = "Ада <b>", "Есть ли\nлампа?" })
		m := o.wait(t, 1)[0]
		require.Equal(t, []string{"desk@shop.example", "sales@xn--80avem4d.example", "desk"}, []string{m.from, m.to, m.user})
		require.Equal(t, "Новая заявка: Ада <b> · shop.example", m.subject(t))
		require.Equal(t, "<ada@example.com>", m.Header.Get("Reply-To"))
		require.Equal(t, "auto-generated", m.Header.Get("Auto-Submitted"))
		from, err := m.Header.AddressList("From")
		require.NoError(t, err)
		require.Equal(t, []*netmail.Address{{Name: "Лампы", Address: "desk@shop.example"}}, from)
		for _, part := range []string{"Имя: Ада <b>", "Телефон: +7 (912) 345-67-89", "Есть ли\nлампа?", "city: London", "Источник: news · autumn", fmt.Sprintf("https://desk.example/leads/%d/%d", w.shop, l.ID)} {
			require.Contains(t, m.plain, part)
		}
		require.NotContains(t, m.plain, "{{")
		require.Contains(t, m.html, "Имя: Ада &lt;b&gt;")
		require.NotContains(t, m.html, "<b>")
		d := w.until(state("delivered"))
		require.Contains(t, m.Header.Get("Message-Id"), d.ID()+"@shop.example")
		require.Equal(t, 1, d.Attempts)
		w.lead(func(s *submission.Submission) { s.Ref = w.viewOf("https://shop.example/").Ref })
		require.Contains(t, o.wait(t, 2)[1].plain, "Источник: прямой заход\n")
	})
}

// A call that nobody has answered is told of like a lead, and says who has called.
func TestMissedCallIsTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.postOffice("")
		w.settings.Store(&notify.Settings{Mail: w.settings.Load().Mail, Allowed: loopback})
		w.endpoint(notify.Endpoint{Kind: notify.Mail, Address: "sales@shop.example", Events: []notify.Event{notify.LeadAdded}})
		r := w.receiver(nil)
		_, secret := w.endpoint(notify.Endpoint{Address: r.URL, Events: []notify.Event{notify.LeadAdded}})
		require.NoError(t, w.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO declared_numbers (site_id, digits, replaces, first_at, retired_at) VALUES ($1, '74957654321', '74951234567', 1, 0)`, w.shop)
			return err
		}))
		w.run()
		_, _, err := w.Calls.Take(t.Context(), telephony.Event{
			Platform: "webhook", Call: "c1", Kind: telephony.End, At: w.now(), Called: "74957654321", Caller: "79123456789", Status: telephony.Missed,
			Talk: telephony.Untold, Wait: telephony.Untold,
		})
		require.NoError(t, err)
		m := o.wait(t, 1)[0]
		require.Equal(t, "Missed call: +79123456789 · shop.example", m.subject(t))
		require.Contains(t, m.plain, "From: +79123456789\nTo: +74957654321\n")
		require.NotContains(t, m.plain, "Phone")
		typ, data := r.wait(t, 1)[0].message(t, secret)
		require.Equal(t, "lead.added", typ)
		require.Equal(t, "missed", data["origin"])
		require.Equal(t, "79123456789", data["phone_digits"])
	})
}

// An address may be in another script as far as the server takes such.
func TestMailToAnAddressInAnotherScript(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const address = "лампы@shop.example"
		w.postOffice("")
		e, _ := w.endpoint(notify.Endpoint{Kind: notify.Mail, Address: address})
		w.run()
		w.lead()
		d := w.until(state("failed"))
		require.Equal(t, "ascii", d.Reason)
		never, err := w.Send(t.Context(), mail.Letter{To: address, Subject: "Chat", Text: "Hello", ID: "1", At: time.Now(), Language: "en"})
		require.ErrorContains(t, err, "ascii")
		require.True(t, never)

		o := w.postOffice("", func(s *smtp.Server) { s.EnableSMTPUTF8 = true })
		require.NoError(t, w.Again(t.Context(), w.shop, e.ID, d.Entry))
		require.Equal(t, address, o.wait(t, 1)[0].to)
		w.until(state("delivered"))
		for email, reply := range map[string]string{"анна@shop.example": "", "anna@лампы.example": "<anna@xn--80avem4d.example>"} {
			before := len(o.list())
			w.lead(func(s *submission.Submission) { s.Email = email })
			require.Equal(t, reply, o.wait(t, before+1)[before].Header.Get("Reply-To"))
		}
	})
}

// Nothing that a visitor sends becomes a line of the header.
func TestMailHasNoLinesOfVisitors(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.postOffice("")
		w.endpoint(notify.Endpoint{Kind: notify.Mail, Address: "sales@shop.example", Subject: "{{.name}} {{.message}} {{.form}}", Template: "{{.name}}\n{{.message}}"})
		w.run()
		w.lead(func(s *submission.Submission) {
			s.Name, s.Message, s.FormName = "Ada\r\nBcc: spy@example.com\r\n\r\nbody", "a\nX-Evil: 1\x00\u2028\u202e", "f\rX-Other: 2"
			s.Email = "ada@example.com\r\nCc: spy@example.com"
		})
		m := o.wait(t, 1)[0]
		require.Equal(t, "sales@shop.example", m.to)
		for _, name := range []string{"Bcc", "Cc", "X-Evil", "X-Other", "Reply-To"} {
			require.Empty(t, m.Header.Get(name), name)
		}
		require.Equal(t, "Ada Bcc: spy@example.com body a X-Evil: 1 fX-Other: 2", m.subject(t))
		require.NotContains(t, m.plain, "\u202e")
	})
}

// A server that is away costs nothing but time; one that refuses for good is believed.
func TestMailServerThatIsAway(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		port, err := dbtest.FreePort()
		require.NoError(t, err)
		address := fmt.Sprint("127.0.0.1:", port)
		o := w.postOffice(address)
		o.close()
		w.endpoint(notify.Endpoint{Kind: notify.Mail, Address: "sales@shop.example"})
		w.run()
		w.lead()
		d := w.until(func(d notify.Delivery) bool { return d.Attempts > 0 })
		require.Equal(t, []any{notify.State("waiting"), "connect"}, []any{d.State, d.Reason})
		o = w.postOffice(address)
		o.wait(t, 1)
		w.until(state("delivered"))
	})
}

func TestMailThatIsRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.postOffice("")
		o.refuse = func(to string) error {
			if to == "nobody@shop.example" {
				return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}
			}
			return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "come again later"}
		}
		never, _ := w.endpoint(notify.Endpoint{Kind: notify.Mail, Address: "nobody@shop.example"})
		later, _ := w.endpoint(notify.Endpoint{Kind: notify.Mail, Address: "grey@shop.example"})
		w.run()
		w.lead()
		var log map[int64]notify.Delivery
		require.Eventually(t, func() bool {
			log = make(map[int64]notify.Delivery)
			for _, d := range w.log() {
				log[d.EndpointID] = d
			}
			return log[never.ID].Attempts > 0 && log[later.ID].Attempts > 0
		}, time.Minute, 10*time.Millisecond)
		require.Equal(t, []any{notify.State("failed"), 550, "smtp"}, []any{log[never.ID].State, log[never.ID].Status, log[never.ID].Reason})
		require.Contains(t, log[never.ID].Detail, "no such mailbox")
		require.Equal(t, []any{notify.State("waiting"), 451, "smtp"}, []any{log[later.ID].State, log[later.ID].Status, log[later.ID].Reason})
		require.Empty(t, o.list())
		o.mu.Lock()
		o.refuse = nil
		o.mu.Unlock()
		require.Equal(t, "grey@shop.example", o.wait(t, 1)[0].to) // greylisting ends with the next attempt
	})
}

// A wrong password is the server's matter: mails wait until it is right.
func TestWrongPasswordWaits(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.postOffice("")
		right := *w.settings.Load()
		wrong := *right.Mail
		wrong.Password = "other"
		w.settings.Store(&notify.Settings{Mail: &wrong})
		w.endpoint(notify.Endpoint{Kind: notify.Mail, Address: "sales@shop.example"})
		w.run()
		w.lead()
		d := w.until(func(d notify.Delivery) bool { return d.Attempts > 0 })
		require.Equal(t, []any{notify.State("waiting"), 535, "smtp"}, []any{d.State, d.Status, d.Reason})
		w.settings.Store(&right)
		o.wait(t, 1)
	})
}

func TestNoMailServerWaits(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.endpoint(notify.Endpoint{Kind: notify.Mail, Address: "sales@shop.example"})
		w.run()
		w.lead()
		d := w.until(func(d notify.Delivery) bool { return d.Attempts > 0 })
		require.Equal(t, []any{notify.State("waiting"), "noServer"}, []any{d.State, d.Reason})
	})
}

func TestPreview(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, language := range locales.Languages {
			written, err := w.Preview(notify.Endpoint{Language: language}, "shop.example")
			require.NoError(t, err)
			require.NotContains(t, written.Subject+written.Text, "{{")
			require.Contains(t, written.Text, "+7 912 345-67-89")
		}
		written, err := w.Preview(notify.Endpoint{Language: "en", Subject: "{{.name}}!", Template: "From {{.source}}"}, "shop.example")
		require.NoError(t, err)
		require.Equal(t, notify.Written{Subject: "Ada Lovelace!", Text: "From news\n"}, written)
		_, err = w.Preview(notify.Endpoint{Language: "en", Subject: "{{.nothing}}"}, "shop.example")
		require.ErrorContains(t, err, "is no placeholder")
	})
}

// A letter goes to who has asked for it, and has no lines of visitors in its header.
func TestLetter(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		l := mail.Letter{To: "ann@mail.example", Subject: "Your conversation\r\nBcc: spy@mail.example", Text: "Hello\r\n.\r\nRCPT TO:<spy@mail.example>\n", ID: "chat-1-2-3", At: time.Now()}
		require.False(t, w.Deliveries.HasMail())
		_, err := w.Deliveries.Send(t.Context(), l)
		require.ErrorIs(t, err, notify.ErrNoServer)
		o := w.postOffice("")
		require.True(t, w.Deliveries.HasMail())
		_, err = w.Deliveries.Send(t.Context(), l)
		require.NoError(t, err)
		m := o.wait(t, 1)[0]
		require.Equal(t, []string{"desk@shop.example", "ann@mail.example"}, []string{m.from, m.to})
		require.Empty(t, m.Header.Get("Bcc"))
		require.Equal(t, "auto-generated", m.Header.Get("Auto-Submitted"))
		require.Contains(t, m.plain, "RCPT TO:<spy@mail.example>")
		require.Len(t, o.list(), 1)

		l.To = "ann@mail.example\r\nRCPT TO:<spy@mail.example>"
		never, err := w.Deliveries.Send(t.Context(), l)
		require.Error(t, err)
		require.True(t, never)
		o.refuse = func(string) error {
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}
		}
		l.To = "gone@mail.example"
		never, err = w.Deliveries.Send(t.Context(), l)
		require.Error(t, err)
		require.True(t, never, "the mailbox will not come into being")
	})
}

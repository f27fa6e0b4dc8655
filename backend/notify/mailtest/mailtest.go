// Package mailtest gives tests a mail server.
package mailtest

import (
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/mail"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// Server is a mail server that takes every mail, unless it is told to refuse it.
type Server struct {
	Address string      // host and port
	Letters chan string // the texts of the mails, headers first
	refused atomic.Pointer[smtp.SMTPError]
}

// Refuse has all mails refused from now on with the code and the text; with 0 they are taken again.
func (s *Server) Refuse(code int, text string) {
	if code == 0 {
		s.refused.Store(nil)
		return
	}
	s.refused.Store(&smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: text})
}

// Start runs a server on a free port of the loopback address until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &Server{Address: listener.Addr().String(), Letters: make(chan string, 10)}
	server := smtp.NewServer(session{s})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		listener.Close() // which the server may not know yet
		server.Close()
	})
	return s
}

// session is one of the server's.
type session struct{ *Server }

func (s session) NewSession(*smtp.Conn) (smtp.Session, error) { return s, nil }
func (s session) Mail(string, *smtp.MailOptions) error        { return nil }
func (s session) Rcpt(string, *smtp.RcptOptions) error {
	if refused := s.refused.Load(); refused != nil {
		return refused
	}
	return nil
}
func (s session) Reset()        {}
func (s session) Logout() error { return nil }
func (s session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.Letters <- string(text)
	return err
}

// Letter is a mail as a mail program shows it.
type Letter struct {
	mail.Header
	Subject, Plain, HTML string
}

// Read reads the text of a mail.
func Read(t testing.TB, text string) (l Letter) {
	t.Helper()
	message, err := mail.ReadMessage(strings.NewReader(text))
	require.NoError(t, err)
	l.Header = message.Header
	l.Subject, err = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	require.NoError(t, err)
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	require.NoError(t, err)
	for parts := multipart.NewReader(message.Body, parameters["boundary"]); ; {
		part, err := parts.NextPart() // decoded
		if err == io.EOF {
			return l
		}
		require.NoError(t, err)
		content, err := io.ReadAll(part)
		require.NoError(t, err)
		switch kind := part.Header.Get("Content-Type"); {
		case strings.HasPrefix(kind, "text/plain"):
			l.Plain = strings.ReplaceAll(string(content), "\r\n", "\n")
		case strings.HasPrefix(kind, "text/html"):
			l.HTML = string(content)
		}
	}
}

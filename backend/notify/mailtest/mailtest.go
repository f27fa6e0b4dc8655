// Package mailtest gives tests a mail server.
package mailtest

import (
	"io"
	"net"
	"testing"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// Server is a mail server that takes every mail.
type Server struct {
	Address string      // host and port
	Letters chan string // the texts of the mails, headers first
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
func (s session) Rcpt(string, *smtp.RcptOptions) error        { return nil }
func (s session) Reset()                                      {}
func (s session) Logout() error                               { return nil }
func (s session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.Letters <- string(text)
	return err
}

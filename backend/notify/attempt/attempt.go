// Package attempt says what may come of one attempt to send a message to somebody else's server.
package attempt

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"
)

// Timeout bounds an attempt, from the look-up of the name to the end of the answer.
const Timeout = 15 * time.Second

// The reasons for which something was not delivered.
const (
	// Connect is the name or the connection. It is one word for names that do not exist, that lead to an address
	// that is not public, or where nobody answers: a log that told them apart would map the network of the server.
	Connect  = "connect"
	TLS      = "tls"      // the certificate, or the handshake
	TimedOut = "timeout"  // no answer in time
	Status   = "status"   // the status of the answer
	Redirect = "redirect" // it leads elsewhere
	Gone     = "gone"     // the receiver is no more
	Template = "template" // filled, the template is not what its content type says
	NoServer = "noServer" // no mail server is configured
	SMTP     = "smtp"     // the mail server's answer
	ASCII    = "ascii"    // the mail server takes no address of which the first part is in another script
	Refused  = "refused"  // what was sent, or the credentials, by the words of the answer
	Late     = "late"     // the receiver takes only what is younger
	Internal = "internal" // our own fault
)

// Reasons are all of them.
var Reasons = []string{Connect, TLS, TimedOut, Status, Redirect, Gone, Template, NoServer, SMTP, ASCII, Refused, Late, Internal}

// The reasons for which there is nothing to deliver.
const (
	NoID      = "noID"      // the receiver would not know the visitor: there is no id of its own
	NoVisitor = "noVisitor" // nobody knows who it was
	Twice     = "twice"     // it has been delivered before
	NothingTo = "nothingTo" // nothing that was delivered is to be taken back
	Stays     = "stays"     // the receiver takes nothing back
	Unmet     = "unmet"     // it is none of what the receiver is told of
)

// Skips are all of them.
var Skips = []string{NoID, NoVisitor, Twice, NothingTo, Stays, Unmet}

// Skip says that there is nothing to deliver, which is nobody's failure.
type Skip struct {
	Reason string // one of Skips; empty where what there was to deliver has been erased
}

func (s Skip) Error() string { return s.Reason }

// Failure is an attempt that has failed. Its text has nothing of the address, in which a token may stand.
type Failure struct {
	Reason string        // one of Reasons
	Status int           // of the answer; 0 where there was none
	Detail string        // what may be shown and names no visitor
	Away   bool          // it is the receiver's state, whatever is sent
	Never  bool          // no further attempt would mend it
	After  time.Duration // as the receiver has asked

	cause error
}

func (f *Failure) Error() string {
	if f.Status != 0 {
		return fmt.Sprintf("%s %d", f.Reason, f.Status)
	}
	return f.Reason
}

// Unwrap is the error of the connection, if there was one. Its text may have the address.
func (f *Failure) Unwrap() error { return f.cause }

// Unsent is the failure to get an answer.
func Unsent(err error) *Failure {
	f := &Failure{Reason: Connect, Away: true, cause: err}
	var timeout net.Error
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		f.Reason = TimedOut
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		f.Reason = TLS
	}
	return f
}

// Package stream answers a request piece by piece, for as long as there is something to tell.
package stream

import (
	"errors"
	"net/http"
	"time"
)

// Patience is how long a client may take to read what it was sent.
const Patience = 10 * time.Second

// Answer is an answer that goes on. It is used by one goroutine at a time.
type Answer struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
}

// Over returns the answer that w sends.
func Over(w http.ResponseWriter) *Answer {
	return &Answer{w, http.NewResponseController(w), Patience}
}

// Send sends the parts at once. It returns an error when the client has left, or has not read them within [Patience].
//
// No deadline stands while nothing is sent: with HTTP/2 it would reset the answer when it passes.
func (a *Answer) Send(parts ...[]byte) error {
	if err := a.until(time.Now().Add(a.patience)); err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := a.w.Write(part); err != nil {
			return err
		}
	}
	if err := a.control.Flush(); err != nil {
		return err
	}
	return a.until(time.Time{})
}

// End gives the client as long to read the end of the answer, which is sent when the handler returns.
func (a *Answer) End() {
	_ = a.until(time.Now().Add(a.patience)) // of a connection that has ended
}

func (a *Answer) until(deadline time.Time) error {
	if err := a.control.SetWriteDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

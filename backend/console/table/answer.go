package table

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	// progressHeader asks to be told how far a file is. Its answer is in pieces: a line with the number of rows so far and the number
	// of bytes that follow it.
	progressHeader = "Console-Progress"
	// rowsHeader is how many rows there will be, where that is known.
	rowsHeader = "Console-Rows"
	// toldEach is after how many rows it is told how far the file is, if it has no bytes to send meanwhile.
	toldEach = 1000
	// askedEach is after how many bytes it is asked whether the reader may still have the file.
	askedEach = 32 << 10
)

// errWithdrawn is the error of a file whose reader may not have it any more.
var errWithdrawn = errors.New("the reader may not have it any more")

type stillKey struct{}

// While is the request with what tells, by an error, that its sender may not have what is sent any more. Files ask it while they are
// sent, so it has to be quick.
func While(r *http.Request, still func(context.Context) error) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), stillKey{}, still))
}

// answer is the answer as which a file is sent. It begins with the first piece, so that what fails before can be said.
type answer struct {
	w        http.ResponseWriter
	kind     string // of the file
	name     string
	of       int // how many rows there will be; 0 where nobody knows
	inPieces bool
	begun    bool
	rows     int
	still    func() error // tells that the reader may not have it any more; nil if nobody can
	unasked  int          // bytes since it was asked
}

func newAnswer(w http.ResponseWriter, r *http.Request, h Head, ending, kind string) *answer {
	a := &answer{w: w, kind: kind, name: h.Name + "-" + h.Now.In(h.Zone).Format(time.DateOnly) + "." + ending, of: h.Rows, inPieces: r.Header.Get(progressHeader) != ""}
	if still, is := r.Context().Value(stillKey{}).(func(context.Context) error); is {
		a.still = func() error { return still(r.Context()) }
	}
	return a
}

// Write sends a part of the file. The error is errWithdrawn when the reader may not have it any more.
func (a *answer) Write(part []byte) (int, error) {
	if a.unasked += len(part); a.still != nil && (!a.begun || a.unasked >= askedEach) {
		a.unasked = 0
		if err := a.still(); err != nil {
			return 0, fmt.Errorf("%w: %w", errWithdrawn, err)
		}
	}
	if !a.begun {
		a.begun = true
		about := a.w.Header()
		about.Set("Content-Type", a.kind)
		about.Set("Content-Disposition", `attachment; filename="`+a.name+`"`)
		if a.of > 0 {
			about.Set(rowsHeader, strconv.Itoa(a.of))
		}
	}
	if a.inPieces {
		if _, err := fmt.Fprintf(a.w, "%d %d\n", a.rows, len(part)); err != nil {
			return 0, err
		}
	}
	n, err := a.w.Write(part)
	if err == nil && a.inPieces {
		err = http.NewResponseController(a.w).Flush()
	}
	return n, err
}

// counted counts a row, and tells it now and then.
func (a *answer) counted() error {
	a.rows++
	if !a.inPieces || a.rows%toldEach != 0 {
		return nil
	}
	_, err := a.Write(nil)
	return err
}

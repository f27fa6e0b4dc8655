package table

import (
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
)

// answer is the answer as which a file is sent. It begins with the first piece, so that what fails before can be said.
type answer struct {
	w        http.ResponseWriter
	kind     string // of the file
	name     string
	of       int // how many rows there will be; 0 where nobody knows
	inPieces bool
	begun    bool
	rows     int
}

func newAnswer(w http.ResponseWriter, r *http.Request, h Head, ending, kind string) *answer {
	return &answer{w: w, kind: kind, name: h.Name + "-" + h.Now.In(h.Zone).Format(time.DateOnly) + "." + ending, of: h.Rows, inPieces: r.Header.Get(progressHeader) != ""}
}

// Write sends a part of the file.
func (a *answer) Write(part []byte) (int, error) {
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

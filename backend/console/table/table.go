// Package table sends lists of the console as files for spreadsheets: as CSV, or as a workbook of Excel.
package table

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

// Files sends files. It is safe for concurrent use.
type Files struct {
	logger    *zap.Logger
	workbooks chan struct{}
}

// workbooksAtOnce is how many workbooks are made at a time. Each has some 32 MB of memory for a million rows, and its rows on disk.
const workbooksAtOnce = 4

// New returns what sends files, and tells the logger of those that ended early.
func New(logger *zap.Logger) *Files {
	return &Files{logger, make(chan struct{}, workbooksAtOnce)}
}

// formatField says in an address which kind of file is wanted: xlsx, or else CSV.
const (
	formatField = "format"
	xlsx        = "xlsx"
)

// WorkbookOf is the address of the same file as a workbook. The address has a query or nothing behind its path.
func WorkbookOf(address string) string {
	if strings.Contains(address, "?") {
		return address + "&" + formatField + "=" + xlsx
	}
	return address + "?" + formatField + "=" + xlsx
}

// Head is what stands above the rows of a file.
type Head struct {
	Name    string   // of the file, to which day and ending are added
	Columns []string // names of words, in which "zone" is that of the file's times
	Words   *words.Tongue
	Now     time.Time
	Zone    *time.Location // of the file's times; nil for UTC
	Rows    int            // how many there will be; 0 where nobody knows
}

// Rows are the rows of a file that is being sent.
type Rows struct {
	ctx    context.Context
	sent   *answer
	to     format
	logger *zap.Logger
}

// format writes one kind of file.
type format interface {
	row(cells []Cell) error
	// end writes what is behind the rows.
	end() error
	// close removes what was kept for the file, whether or not it came to its end.
	close()
}

// heads are the names of the columns.
func (h Head) heads() []Cell {
	heads := make([]Cell, len(h.Columns))
	for i, column := range h.Columns {
		heads[i] = Text(h.Words.Text(column, "zone", h.Zone.String()))
	}
	return heads
}

// Send answers with the file that the request asks for, of the rows that are written meanwhile. It ends as soon as nobody reads
// on, or the reader may not have it any more: see [While]. As long as nothing was sent, what has failed is returned; a file that has
// begun is torn off instead, so as not to look whole.
func (f *Files) Send(w http.ResponseWriter, r *http.Request, h Head, write func(*Rows) error) error {
	if h.Zone == nil {
		h.Zone = time.UTC
	}
	workbook := r.URL.Query().Get(formatField) == xlsx
	rows := &Rows{ctx: r.Context(), logger: f.logger}
	if workbook {
		rows.sent = newAnswer(w, r, h, xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
	} else {
		rows.sent = newAnswer(w, r, h, "csv", "text/csv; charset=utf-8")
	}
	err := f.fill(rows, h, workbook, write)
	gone := rows.ctx.Err() != nil
	switch {
	case err == nil || gone && !rows.sent.begun:
		return nil
	case !rows.sent.begun:
		return err
	case errors.Is(err, errWithdrawn):
		f.logger.Info("a file of the console was broken off", zap.String("file", h.Name), zap.Error(err))
	case !gone:
		f.logger.Error("a file of the console ended early", zap.String("file", h.Name), zap.Error(err))
	}
	panic(http.ErrAbortHandler)
}

func (f *Files) fill(rows *Rows, h Head, workbook bool, write func(*Rows) error) (err error) {
	if workbook {
		select {
		case f.workbooks <- struct{}{}:
			defer func() { <-f.workbooks }()
		case <-rows.ctx.Done():
			return rows.ctx.Err()
		}
		rows.to, err = newWorkbook(rows.sent, h, mostRows)
	} else {
		rows.to, err = newCSV(rows.sent, h)
	}
	if err != nil {
		return err
	}
	defer rows.to.close()
	if err := write(rows); err != nil {
		return err
	}
	return rows.to.end()
}

// Write writes a row. After an error, which says that nobody reads on, or why the file cannot be made, there is nothing more to
// write.
func (r *Rows) Write(cells ...Cell) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if err := r.to.row(cells); err != nil {
		return err
	}
	return r.sent.counted()
}

// Cell is a cell of a row. The zero cell is empty.
type Cell struct {
	text string // of a number, as decimal digits with a point
	at   time.Time
	kind kind
}

type kind int

const (
	text kind = iota
	number
	moment
)

// Text is a cell of a text, which is never taken for a formula.
func Text(s string) Cell { return Cell{text: s} }

// Texts are cells of texts.
func Texts(all ...string) []Cell {
	cells := make([]Cell, len(all))
	for i, s := range all {
		cells[i] = Text(s)
	}
	return cells
}

// Count is a cell of a whole number.
func Count[N int | int64](n N) Cell {
	return Cell{text: strconv.FormatInt(int64(n), 10), kind: number}
}

// Number is a cell of a number.
func Number(n float64) Cell { return Cell{text: strconv.FormatFloat(n, 'f', -1, 64), kind: number} }

// Decimal is a cell of a number as it is kept: decimal digits, with or without a point. What is none is a text.
func Decimal(digits string) Cell {
	if !decimal.MatchString(digits) {
		return Text(digits)
	}
	return Cell{text: digits, kind: number}
}

var decimal = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// Time is a cell of a time, to the second. It is empty for none.
func Time(t time.Time) Cell {
	if t.IsZero() {
		return Cell{}
	}
	return Cell{at: t, kind: moment}
}

package table

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
	"github.com/xuri/excelize/v2"
)

const (
	mostRows = 1_048_576 // of a sheet, in Excel
	// measured is by how many rows the widths of the columns are chosen.
	measured = 100
	// exactDigits is how many digits of a number Excel keeps.
	exactDigits = 15
	timeFormat  = "yyyy-mm-dd hh:mm:ss"
)

// workbook is a workbook of Excel. It is sent when it is whole: until then its rows are in files of a folder of its own.
type workbook struct {
	to     io.Writer
	head   Head
	heads  []Cell
	most   int // rows of a sheet
	folder string
	file   *excelize.File
	sheet  *excelize.StreamWriter
	sheets int
	rows   int      // of the sheet
	first  [][]Cell // rows that wait for the widths of their columns
	widths []float64
	cells  []any

	bold, moment int // styles
}

func newWorkbook(to io.Writer, h Head, most int) (_ format, err error) {
	b := &workbook{to: to, head: h, heads: h.heads(), most: most}
	if b.folder, err = os.MkdirTemp("", "frontdesk-workbook-"); err != nil {
		return nil, fmt.Errorf("making a folder for a workbook: %w", err)
	}
	b.file = excelize.NewFile(excelize.Options{TmpDir: b.folder})
	if b.bold, err = b.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}}); err == nil {
		b.moment, err = b.file.NewStyle(&excelize.Style{CustomNumFmt: new(timeFormat)})
	}
	if err != nil {
		b.close()
		return nil, fmt.Errorf("making the styles of a workbook: %w", err)
	}
	return b, nil
}

func (b *workbook) row(cells []Cell) error {
	if b.sheets > 0 {
		return b.write(cells)
	}
	b.first = append(b.first, cells)
	if len(b.first) < measured {
		return nil
	}
	return b.writeFirst()
}

// writeFirst begins the first sheet with the rows that have waited.
func (b *workbook) writeFirst() error {
	b.widths = widthsOf(append(b.first, b.heads))
	if err := b.begin(); err != nil {
		return err
	}
	for _, cells := range b.first {
		if err := b.write(cells); err != nil {
			return err
		}
	}
	b.first = nil
	return nil
}

// begin begins a sheet.
func (b *workbook) begin() (err error) {
	b.sheets++
	name := b.head.Name
	if b.sheets == 1 {
		err = b.file.SetSheetName("Sheet1", name)
	} else {
		name += " " + strconv.Itoa(b.sheets)
		_, err = b.file.NewSheet(name)
	}
	if err != nil {
		return err
	}
	if b.sheet, err = b.file.NewStreamWriter(name); err != nil {
		return err
	}
	b.rows = 0
	for i, width := range b.widths {
		if err := b.sheet.SetColWidth(i+1, i+1, width); err != nil {
			return err
		}
	}
	if err := b.sheet.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	return b.write(b.heads, excelize.RowOpts{StyleID: b.bold})
}

func (b *workbook) write(cells []Cell, how ...excelize.RowOpts) error {
	if b.rows == b.most {
		if err := b.sheet.Flush(); err != nil {
			return err
		}
		if err := b.begin(); err != nil {
			return err
		}
	}
	b.rows++
	b.cells = b.cells[:0]
	for _, cell := range cells {
		b.cells = append(b.cells, b.valueOf(cell))
	}
	return b.sheet.SetRow("A"+strconv.Itoa(b.rows), b.cells, how...)
}

func (b *workbook) valueOf(cell Cell) any {
	switch {
	case cell.kind == moment:
		return excelize.Cell{StyleID: b.moment, Value: serial(cell.at.In(b.head.Zone))}
	case cell.kind == number && len(cell.text) <= exactDigits:
		if n, err := strconv.ParseFloat(cell.text, 64); err == nil {
			return n
		}
	}
	return textOf(cell.text)
}

// serial is the time on the clock of its zone as Excel counts it, in days.
func serial(t time.Time) float64 {
	_, offset := t.Zone()
	const of1970 = 25569
	return of1970 + float64(t.Unix()+int64(offset))/(24*60*60)
}

// mostEscapes is how many signs of a text may look like escapes of workbooks.
const mostEscapes = 100

// textOf is the text as a cell can hold it, nil for none. Where it is too long for one, the end is missing, which an ellipsis tells.
func textOf(s string) any {
	if s == "" {
		return nil
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "�")
	}
	if strings.Count(s, "_x") > mostEscapes { // nobody writes so, and the library escapes many in the time of their square
		s = strings.ReplaceAll(s, "_x", "_ x")
	}
	if len(s) > excelize.TotalCellChars {
		s = cut(s, excelize.TotalCellChars)
	}
	return s
}

// cut is the beginning of a text that has more units of UTF-16 than most.
func cut(s string, most int) string {
	units, end := 0, 0
	for at, r := range s {
		if units++; r > 0xffff {
			units++
		}
		if units < most { // there is room for one more
			end = at + utf8.RuneLen(r)
		}
		if units > most {
			return s[:end] + "…"
		}
	}
	return s
}

// widthsOf are the widths of columns, in signs, at which most of the rows' cells can be read.
func widthsOf(rows [][]Cell) []float64 {
	const least, widest, time = 9, 60, 20
	var widths []float64
	for _, cells := range rows {
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, least)
			}
			width := time
			if cell.kind != moment {
				width = utf8.RuneCountInString(cell.text) + 2
			}
			widths[i] = min(widest, max(widths[i], float64(width)))
		}
	}
	return widths
}

func (b *workbook) end() error {
	if b.sheets == 0 {
		if err := b.writeFirst(); err != nil {
			return err
		}
	}
	if err := b.sheet.Flush(); err != nil {
		return err
	}
	// The library would make the whole file in memory first.
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zipped(b.to) })
	_, err := b.file.WriteTo(io.Discard)
	return err
}

func zipped(to io.Writer) *zip.Writer {
	z := zip.NewWriter(to)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	return z
}

func (b *workbook) close() {
	b.file.Close()
	os.RemoveAll(b.folder)
}

package table

import (
	"bytes"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// What does not fit into a sheet is in the next, below the same head.
func TestWorkbookOfSeveralSheets(t *testing.T) {
	var file bytes.Buffer
	book, err := newWorkbook(&file, Head{Name: "calls", Columns: []string{"export.id"}, Words: words.All(time.Now)[0], Zone: time.UTC}, 150)
	require.NoError(t, err)
	defer book.close()
	for i := range 400 {
		require.NoError(t, book.row([]Cell{Count(i)}))
	}
	require.NoError(t, book.end())
	read, err := excelize.OpenReader(&file)
	require.NoError(t, err)
	defer read.Close()
	require.Equal(t, []string{"calls", "calls 2", "calls 3"}, read.GetSheetList())
	for sheet, of := range map[string]struct {
		rows  int
		first string
	}{"calls": {150, "0"}, "calls 2": {150, "149"}, "calls 3": {103, "298"}} {
		rows, err := read.GetRows(sheet)
		require.NoError(t, err)
		require.Len(t, rows, of.rows)
		require.Equal(t, "ID", rows[0][0])
		require.Equal(t, of.first, rows[1][0])
	}
}

// FuzzText holds that every text becomes one that a cell can hold.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "=1", "_x0041_", "\xff", "a😀"} {
		f.Add(text, 10)
	}
	f.Add("_x", 16_383) // what is put between makes it too long
	f.Fuzz(func(t *testing.T, text string, times int) {
		text = string(bytes.Repeat([]byte(text), max(0, times%20_000)))
		if len(text) > 1<<18 {
			return
		}
		var cell any
		stepstest.Hold(t, len(text), func() { cell = textOf(text) })
		if text == "" {
			require.Nil(t, cell)
			return
		}
		require.True(t, utf8.ValidString(cell.(string)))
		require.LessOrEqual(t, len(utf16.Encode([]rune(cell.(string)))), excelize.TotalCellChars)
	})
}

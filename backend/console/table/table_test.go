package table_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"go.uber.org/zap/zaptest"

	"github.com/seed-3405227d/frontdesk/backend/console/table"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// served is a server of the file that is written. What the handler returned is sent to the channel.
func served(t *testing.T, language int, write func(*table.Rows) error) (address string, returned chan error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	files := table.New(zaptest.NewLogger(t))
	zone, err := time.LoadLocation("Europe/Moscow")
	require.NoError(t, err)
	returned = make(chan error, 10)
	head := table.Head{Name: "leads", Columns: []string{"export.name", "export.amount", "export.at"}, Words: words.All(time.Now)[language], Now: noon, Zone: zone, Rows: 3}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := errors.New("torn off")
		defer func() { returned <- err }()
		if err = files.Send(w, r, head, write); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, returned
}

func get(t *testing.T, address string) (*http.Response, []byte) {
	t.Helper()
	answer, err := http.Get(address)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, body
}

func workbook(t *testing.T, body []byte) *excelize.File {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader(body))
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	return book
}

// left are the files that are left on disk.
func left(t *testing.T) []os.DirEntry {
	t.Helper()
	files, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	return files
}

func threeRows(out *table.Rows) error {
	for _, name := range []string{"Anna", `=HYPERLINK("https://evil.example")`, "-1"} {
		if err := out.Write(table.Text(name), table.Decimal("1500.50"), table.Time(noon)); err != nil {
			return err
		}
	}
	return nil
}

func TestFilesSayTheSame(t *testing.T) {
	address, _ := served(t, 0, threeRows)
	answer, body := get(t, address)
	require.Equal(t, `attachment; filename="leads-2026-07-01.csv"`, answer.Header.Get("Content-Disposition"))
	require.Equal(t, "3", answer.Header.Get("Console-Rows"))
	read, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(body), "\ufeff"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"Name", "Amount", "Received (Europe/Moscow)"}, {"Anna", "1500.50", "2026-07-01 15:00:00"},
		{`'=HYPERLINK("https://evil.example")`, "1500.50", "2026-07-01 15:00:00"}, {"'-1", "1500.50", "2026-07-01 15:00:00"},
	}, read)

	answer, body = get(t, table.WorkbookOf(address))
	require.Equal(t, `attachment; filename="leads-2026-07-01.xlsx"`, answer.Header.Get("Content-Disposition"))
	book := workbook(t, body)
	cells, err := book.GetRows("leads")
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"Name", "Amount", "Received (Europe/Moscow)"}, {"Anna", "1500.5", "2026-07-01 15:00:00"},
		{`=HYPERLINK("https://evil.example")`, "1500.5", "2026-07-01 15:00:00"}, {"-1", "1500.5", "2026-07-01 15:00:00"},
	}, cells)
	for cell, kind := range map[string]excelize.CellType{"A3": excelize.CellTypeInlineString, "A4": excelize.CellTypeInlineString, "B2": excelize.CellTypeUnset, "C2": excelize.CellTypeUnset} {
		is, err := book.GetCellType("leads", cell)
		require.NoError(t, err)
		require.Equal(t, kind, is, cell)
		formula, err := book.GetCellFormula("leads", cell)
		require.NoError(t, err)
		require.Empty(t, formula)
	}
	panes, err := book.GetPanes("leads")
	require.NoError(t, err)
	require.Equal(t, 1, panes.YSplit)
	require.Empty(t, left(t))

	address, _ = served(t, 1, threeRows)
	_, body = get(t, address)
	require.Contains(t, string(body), `"Anna";"1500,50"`)
}

func TestWorkbookOfHostileTexts(t *testing.T) {
	texts := []string{"_x0041_", "a\x00b\x1b", "\xff\xfe", " lead", "a\r\nb", "<c>&amp;", strings.Repeat("_x0041_", 4000), strings.Repeat("я", 40_000), strings.Repeat("😀", 20_000), "1e400", "NaN", "Inf"}
	address, _ := served(t, 0, func(out *table.Rows) error {
		for _, s := range texts {
			if err := out.Write(table.Text(s), table.Decimal(s), table.Count(int64(12345678901234567))); err != nil {
				return err
			}
		}
		return nil
	})
	_, body := get(t, table.WorkbookOf(address))
	cells, err := workbook(t, body).GetRows("leads")
	require.NoError(t, err)
	require.Len(t, cells, 1+len(texts))
	for i, want := range []string{"_x0041_", "a�b�", "�", " lead", "a\r\nb", "<c>&amp;"} {
		require.Equal(t, want, cells[1+i][0], i)
	}
	require.Equal(t, strings.Repeat("я", 32_766)+"…", cells[8][0])
	require.Equal(t, strings.Repeat("😀", 16_383)+"…", cells[9][0])
	require.Equal(t, "NaN", cells[11][1], "what is no number is a text")
	require.Equal(t, "12345678901234567", cells[1][2], "no digit of a number is lost")
}

func TestFileWithoutRows(t *testing.T) {
	address, _ := served(t, 0, func(*table.Rows) error { return nil })
	_, body := get(t, table.WorkbookOf(address))
	cells, err := workbook(t, body).GetRows("leads")
	require.NoError(t, err)
	require.Len(t, cells, 1)
}

// What fails before a file has begun is said; what fails later tears the file off.
func TestFileThatFails(t *testing.T) {
	rows := 0
	address, _ := served(t, 0, func(out *table.Rows) error {
		for range rows {
			if err := out.Write(table.Text(strings.Repeat("x", 1000))); err != nil {
				return err
			}
		}
		return errors.New("the database is away")
	})
	for _, of := range []string{address, table.WorkbookOf(address)} {
		answer, body := get(t, of)
		require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
		require.Contains(t, string(body), "the database is away")
		require.Empty(t, answer.Header.Get("Content-Disposition"))
	}
	rows = 1000
	answer, err := http.Get(address)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	_, err = io.ReadAll(answer.Body)
	require.Error(t, err, "it does not look whole")
	require.Empty(t, left(t))
}

// The file's end comes when its reader goes away, however much there is to write.
func TestFileEndsWithItsReader(t *testing.T) {
	ended := make(chan error, 1)
	address, returned := served(t, 0, func(out *table.Rows) error {
		for {
			if err := out.Write(table.Text("Anna"), table.Number(1.5), table.Time(noon)); err != nil {
				ended <- err
				return err
			}
		}
	})
	for _, of := range []string{address, table.WorkbookOf(address)} {
		ctx, leave := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, of, nil)
		require.NoError(t, err)
		request.Header.Set("Console-Progress", "1")
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		line, err := bufio.NewReader(answer.Body).ReadString('\n')
		require.NoError(t, err)
		var rows, bytes int
		_, err = fmt.Sscanf(line, "%d %d\n", &rows, &bytes)
		require.NoError(t, err)
		require.Positive(t, rows)
		if of != address {
			require.Len(t, left(t), 1, "the workbook is on disk until it is whole")
		}
		leave()
		require.Error(t, <-ended)
		require.EqualError(t, <-returned, "torn off")
		require.Empty(t, left(t))
		answer.Body.Close()
	}
}

// A file in pieces is the same file, and says how far it is.
func TestFileInPieces(t *testing.T) {
	const rows = 2500
	address, _ := served(t, 0, func(out *table.Rows) error {
		for range rows {
			if err := out.Write(table.Text("Anna"), table.Number(1.5), table.Time(noon)); err != nil {
				return err
			}
		}
		return nil
	})
	for _, of := range []string{address, table.WorkbookOf(address)} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, of, nil)
		require.NoError(t, err)
		request.Header.Set("Console-Progress", "1")
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer answer.Body.Close()
		in, file, told := bufio.NewReader(answer.Body), []byte(nil), []int(nil)
		for {
			var row, size int
			if _, err := fmt.Fscanf(in, "%d %d\n", &row, &size); errors.Is(err, io.EOF) {
				break
			}
			piece := make([]byte, size)
			_, err = io.ReadFull(in, piece)
			require.NoError(t, err)
			file, told = append(file, piece...), append(told, row)
		}
		require.IsIncreasing(t, append(told[:2:2], rows+1))
		require.Equal(t, rows, told[len(told)-1])
		if of == address {
			require.Equal(t, 1+rows, bytes.Count(file, []byte("\r\n")))
			continue
		}
		cells, err := workbook(t, file).GetRows("leads")
		require.NoError(t, err)
		require.Len(t, cells, 1+rows)
	}
}

// BenchmarkFile sends rows of ten cells, such as those of a list: texts, two numbers and a time.
func BenchmarkFile(b *testing.B) {
	files := table.New(zaptest.NewLogger(b))
	columns := make([]string, 10)
	for i := range columns {
		columns[i] = "export.name"
	}
	head := table.Head{Name: "leads", Columns: columns, Words: words.All(time.Now)[0], Now: noon}
	const rows = 200_000
	for name, address := range map[string]string{"CSV": "/", "XLSX": table.WorkbookOf("/")} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				w.Body = nil
				err := files.Send(w, httptest.NewRequest(http.MethodGet, address, nil), head, func(out *table.Rows) error {
					for i := range rows {
						err := out.Write(table.Count(i), table.Time(noon.Add(time.Duration(i)*time.Minute)), table.Text("shop.example"), table.Text("Anna Petrova"), table.Text("+7 495 123-45-67"),
							table.Text("anna@mail.example"), table.Text("Two lamps, please; I call again tomorrow."), table.Decimal("1500.50"), table.Text("google"), table.Text("spring"))
						if err != nil {
							return err
						}
					}
					return nil
				})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

package roster_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/roster"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

const printed = "74951234567"

func none(string) (number.Number, bool) { return number.Number{}, false }

// wrongs are the mistakes as lines and kinds.
func wrongs(t *roster.Table) map[int]string {
	all := make(map[int]string)
	for _, w := range t.Wrong {
		if m, is := errors.AsType[*number.Mistake](w.Err); is {
			all[w.Line] = m.Kind
		} else {
			all[w.Line] = w.Err.Error()
		}
	}
	return all
}

const usual = "Number,Name,Source,Pool\r\n+7 495 765-43-21,\"Spring, \"\"big\"\"\",news*,\r\n84957654322,,,Moscow pool\r\n+7 (495) 765-43-23,,,Moscow pool\r\n"

// The same table in the writings of different programs is the same.
func TestWritings(t *testing.T) {
	want, err := roster.Read([]byte(usual), printed, printed)
	require.NoError(t, err)
	require.Empty(t, want.Wrong)
	require.Equal(t, []roster.Row{
		{Line: 2, Number: "74957654321", Printed: printed, Name: `Spring, "big"`, When: []string{"utm_source=news*"}},
		{Line: 3, Number: "74957654322", Printed: printed, Pool: "moscow-pool", Titled: "Moscow pool"},
		{Line: 4, Number: "74957654323", Printed: printed, Pool: "moscow-pool", Titled: "Moscow pool"},
	}, want.Rows)
	russian := strings.NewReplacer("Number", "Виртуальный номер", "Name", "Название", "Source", "Источник", "Pool", "Пул", "\r\n", "\n").Replace(usual)
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(strings.ReplaceAll(usual, ",", "\t"))
	require.NoError(t, err)
	utf16 = strings.Replace(utf16, "S\x00p\x00r\x00i\x00n\x00g\x00\t\x00", "S\x00p\x00r\x00i\x00n\x00g\x00,\x00", 1)
	cp1251, err := charmap.Windows1251.NewEncoder().String(russian)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"with a mark":    "\ufeff" + usual,
		"semicolons":     strings.Replace(strings.ReplaceAll(usual, ",", ";"), "Spring;", "Spring,", 1),
		"Russian":        russian,
		"windows-1251":   cp1251,
		"UTF-16":         utf16,
		"marked numbers": strings.ReplaceAll(strings.Replace(usual, "84957654322", `="84957654322"`, 1), "+7 495 765-43-21", `'+7 495 765-43-21`),
	} {
		got, err := roster.Read([]byte(text), printed, printed)
		require.NoError(t, err, name)
		if name == "marked numbers" { // ="…" is a cell with quotation marks in it
			require.Equal(t, map[int]string{3: "table_quotes"}, wrongs(got), name)
			continue
		}
		require.Equal(t, want, got, name)
	}
	above, err := roster.Read([]byte("Numbers of the site\n\n"+usual), printed, printed)
	require.NoError(t, err)
	require.Len(t, above.Rows, 3)
	require.Equal(t, 4, above.Rows[0].Line)
}

func TestMistakes(t *testing.T) {
	table, err := roster.Read([]byte(strings.Join([]string{
		"number;name;utm_source;pool;replaces",
		"+74957654321;=HYPERLINK(\"x\");news;;",
		"+74957654322;=1+1;news;;",
		"=1+1;a;news;;",
		"-1;a;news;;",
		"@SUM(1);a;news;;",
		"7.49577E+10;a;news;;",
		";a;news;;",
		"74957654322;a;other;;",
		"74957654323;a;;;",
		"74957654324;a;news;***;",
		"74957654325;a;*;;12",
		"74957654326;" + strings.Repeat("a", 400) + ";news;;",
		"74957654327;\"a\x00\";news;;",
		"74957654328;\"a\nb\";news;;",
		"84957654329;a;news;;",
		"",
		"74957654330;\"a;news;;",
	}, "\n")), printed, "")
	require.NoError(t, err)
	require.Equal(t, map[int]string{2: "table_quotes"}, wrongs(table))
	table, err = roster.Read([]byte(strings.Join([]string{
		"number;name;utm_source;pool;replaces",
		"+74957654321;=HYPERLINK(x);news;;",
		"74957654322;=1+1;news;;",
		"=1+1;a;news;;",
		"-1;a;news;;",
		"@SUM(1);a;news;;",
		"7.49577E+10;a;news;;",
		";a;news;;",
		"74957654322;a;other;;",
		"74957654323;a;;;",
		"74957654324;a;news;***;",
		"74957654325;a;news;;12",
		"74957654326;" + strings.Repeat("a", 400) + ";news;;",
		"74957654327;\"a\x00\";news;;",
		"74957654328;\"a\nb\";news;;",
		"8 (495) 765-43-29;a;news;;",
		"",
		"74957654330;\"a;news;;",
	}, "\n")), printed, "")
	require.NoError(t, err)
	require.Equal(t, map[int]string{
		4: "not_number", 5: "not_number", 6: "not_number", 7: "not_number", 8: "not_number", 9: "twice", 10: "table_source", 11: "table_pool", 12: "not_number",
		13: "table_cell", 14: "table_cell", 15: "table_cell", 19: "table_quotes",
	}, wrongs(table))
	require.Equal(t, "=HYPERLINK(x)", table.Rows[0].Name, "a text is a text; files for spreadsheets have an apostrophe in front of it")
	require.Equal(t, "74957654329", table.Rows[2].Number, "beside a number of Moscow")

	alone, err := roster.Read([]byte("number;source\n+74957654321;news\n8 (495) 765-43-29;news"), "", "")
	require.NoError(t, err)
	require.Equal(t, map[int]string{2: "table_printed", 3: "country_code"}, wrongs(alone))
	for text, want := range map[string]error{
		"": roster.ErrColumns, "hello": roster.ErrColumns, "name;source\na;b": roster.ErrColumns, "number;source\n\n;;\n": roster.ErrEmpty,
		"number\n" + strings.Repeat("1\n", 1001): roster.ErrRows, "number\n" + strings.Repeat("1", 65<<10): roster.ErrLarge,
	} {
		_, err := roster.Read([]byte(text), printed, "")
		require.ErrorIs(t, err, want, "%.20q", text)
	}
	many, err := roster.Read([]byte("number\n"+strings.Repeat("a\n", 1000)), printed, "")
	require.NoError(t, err)
	require.Len(t, many.Wrong, 100)
	require.Equal(t, 900, many.Further)
}

// What is there already is not added again, and nothing that is there changes.
func TestJoin(t *testing.T) {
	read := func(text string) *roster.Table {
		table, err := roster.Read([]byte(text), printed, printed)
		require.NoError(t, err)
		require.Empty(t, table.Wrong)
		return table
	}
	own := number.Own{
		Numbers: []number.Number{{Number: "+7 495 222-33-44", Tracking: []number.Tracking{{Static: "74957650001", When: []string{"utm_source=a"}}, {Pool: "summer"}}}},
		Pools:   map[string]number.DeclaredPool{"summer": {Numbers: []string{"+7 495 765-00-02"}, Exhausted: number.ShareNumber}},
	}
	configured := func(digits string) (number.Number, bool) {
		return number.Number{Number: "74951234567", Targets: []string{".phone"}, Tracking: []number.Tracking{{Static: "74957650003", When: []string{"utm_source=b"}}}}, digits == printed
	}
	table := read("number,replaces,source,pool,name\n74957650001,74952223344,a,,\n74957650002,,,Summer,\n74957650003,,b,,\n")
	j := table.Join(own, configured)
	require.Equal(t, 3, j.Known)
	require.Empty(t, j.Added)
	require.Equal(t, own, j.Own)

	table = read("number,replaces,source,pool,name\n74957650011,74952223344,c,,Radio\n74957650012,,,Summer,\n74957650013,,,Пул №1,\n74957650014,,d,,\n74957650015,,e,Winter,\n74957650016,,e,Winter,\n74957650001,74952223344,a,,\n")
	j = table.Join(own, configured)
	require.Empty(t, table.Wrong)
	require.Len(t, j.Added, 6)
	require.Equal(t, 1, j.Known)
	require.Equal(t, []string{"pul-1", "winter"}, j.Made)
	require.Equal(t, number.Own{
		Numbers: []number.Number{
			{Number: "+7 495 222-33-44", Tracking: []number.Tracking{{Static: "74957650001", When: []string{"utm_source=a"}}, {Name: "Radio", Static: "74957650011", When: []string{"utm_source=c"}}, {Pool: "summer"}}},
			{Number: "74951234567", Targets: []string{".phone"}, Tracking: []number.Tracking{{Static: "74957650003", When: []string{"utm_source=b"}}, {Static: "74957650014", When: []string{"utm_source=d"}}, {Name: "Winter", Pool: "winter", When: []string{"utm_source=e"}}}},
		},
		Pools: map[string]number.DeclaredPool{
			"summer": {Numbers: []string{"+7 495 765-00-02", "74957650012"}, Exhausted: number.ShareNumber}, "pul-1": {Numbers: []string{"74957650013"}}, "winter": {Numbers: []string{"74957650015", "74957650016"}},
		},
	}, j.Own)
	require.NoError(t, j.Own.Check())
	require.Len(t, own.Numbers[0].Tracking, 2, "what was given stays")
	require.Len(t, own.Pools["summer"].Numbers, 1)

	table = read("number,source,pool\n74957650015,e,Winter\n74957650016,f,Winter\n")
	table.Join(own, configured)
	require.Equal(t, map[int]string{3: "table_pools"}, wrongs(table))

	// A number in two pools is told by its line.
	j = read("number,pool\n74957650021,Winter\n74957650002,Winter\n").Join(own, none)
	err := j.Own.Check()
	require.Error(t, err)
	require.Equal(t, 3, j.Line(err))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(usual), printed)
	f.Add([]byte("\ufeffномер;пул\n84957654321;\"Пул\"\"\"\n"), "")
	f.Add([]byte("\xff\xfen\x00u\x00m\x00b\x00e\x00r\x00"), printed)
	f.Add([]byte("number\n"+strings.Repeat("=1+1\n", 999)), printed)
	f.Add([]byte("number,source\n"+strings.Repeat("\"74957654321\",a\n", 500)), printed)
	f.Add([]byte("number,replaces,source\n74957654320,,a\n74957654321,74951234567,b\n"), "74951234567 74957654321")
	f.Fuzz(func(t *testing.T, content []byte, at string) {
		if strings.Trim(at, "0123456789") != "" {
			return
		}
		price := stepstest.Price{Each: stepstest.Cost{Walked: 64, Allocated: 2 << 10}, Besides: stepstest.Cost{Walked: 16 << 10, Allocated: 4 << 20}}
		price.Hold(t, len(content), func() {
			table, err := roster.Read(content, at, at)
			if err != nil {
				return
			}
			require.LessOrEqual(t, len(table.Wrong), 100)
			require.LessOrEqual(t, len(table.Rows), roster.MaxRows)
			j := table.Join(number.Own{}, none)
			require.Equal(t, len(table.Rows), len(j.Added)+j.Known)
			require.Zero(t, j.Known, "each number is there once")
		})
	})
}

// BenchmarkRead is what the largest table costs.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("number,source,pool\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "+7495%07d,news%d,%s\n", 7650000+i, i, []string{"", "Moscow"}[i%2])
	}
	content := []byte(text.String())
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		table, err := roster.Read(content, printed, printed)
		if err != nil || len(table.Join(number.Own{}, none).Added) != 1000 {
			b.Fatal(err, table)
		}
	}
}

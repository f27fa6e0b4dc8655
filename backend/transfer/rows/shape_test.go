package rows

import (
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/table"
)

// What this program could not read of a foreign file, or must not hand on, is refused with its line.
func TestShapes(t *testing.T) {
	of := func(name string) *moved {
		return &plan[slices.IndexFunc(plan, func(m moved) bool { return m.name == name })]
	}
	read := func(name, column, text string) (any, error) {
		encoded, err := json.Marshal(text)
		require.NoError(t, err)
		return readValue(of(name), table.Column{Name: column, Type: table.Text}, encoded)
	}
	for _, taken := range [][3]string{
		{"leads", "user_fields", ""}, {"leads", "user_fields", "null"}, {"leads", "user_fields", "{}"}, {"leads", "user_fields", `{"a":"b","c":"\u003cd\u003e"}`},
		{"refused_leads", "sent", `{"a":["b",5]}`}, {"shown_pages", "writings", `[{"text":"8 800","place":"tel","count":2}]`}, {"forms", "fields", `["a","b"]`}, {"forms", "fields", ""},
		{"page_markups", "markup", `[{}]`}, {"calls", "recording", ""}, {"calls", "recording", "https://records.example/1?a=b"}, {"calls", "recording", "http://records.example"},
	} {
		value, err := read(taken[0], taken[1], taken[2])
		require.NoError(t, err, taken)
		require.Equal(t, taken[2], value)
	}
	value, err := read("leads", "user_fields", ` { "a" : "b\u0000" , "c":"<" } `)
	require.NoError(t, err)
	require.Equal(t, `{"a":"b","c":"\u003c"}`, value, "as this program writes it")
	for _, refused := range [][3]string{
		{"leads", "user_fields", "5"}, {"leads", "user_fields", `["a"]`}, {"leads", "user_fields", `{"a":5}`}, {"leads", "user_fields", `{"a":null}`}, {"leads", "user_fields", `{"a":{"b":"c"}}`},
		{"leads", "user_fields", `{"a":"b"} {}`}, {"leads", "user_fields", `{"a":"b"`}, {"leads", "user_fields", " null"}, {"leads", "user_fields", " "},
		{"refused_leads", "sent", `5`}, {"refused_leads", "sent", `[]`}, {"refused_leads", "sent", `{`}, {"shown_pages", "writings", `[{"text":5}]`}, {"shown_pages", "writings", `{}`},
		{"forms", "fields", `[5]`}, {"forms", "fields", `"a"`}, {"forms", "fields", "[" + strings.Repeat(`"",`, maxSmall/3) + `""]`}, {"page_markups", "markup", "<"},
		{"calls", "recording", "javascript:alert(1)"}, {"calls", "recording", "//records.example"}, {"calls", "recording", "data:text/html,x"}, {"calls", "recording", "https:///x"}, {"calls", "recording", " javascript:x"},
	} {
		_, err := read(refused[0], refused[1], refused[2])
		require.Error(t, err, refused)
	}
	for _, number := range []struct {
		table, column string
		most          int64
	}{{"leads", "message_hash", math.MaxInt64}, {"site_pages", "pages", mostCounted}, {"visits", "views", mostCounted}, {"costs", "amount", mostNumber}, {"cost_imports", "amount", mostSummed}, {"messages", "seq", mostNumber}} {
		require.True(t, inRange(of(number.table), number.column, number.most), number)
		require.False(t, number.most < math.MaxInt64 && inRange(of(number.table), number.column, number.most+1), number)
	}
}

// An export fails rather than write what an import refuses.
func TestExportWritesWhatAnImportTakes(t *testing.T) {
	row := func(name, column, kind string, value any) error {
		at := slices.IndexFunc(plan, func(m moved) bool { return m.name == name })
		m := plan[at]
		m.refs = nil
		s := &writing{Writer: Writer{Out: io.Discard}}
		return s.row(&m, &record{columns: []table.Column{{Name: column, Type: kind}}, values: []any{value}})
	}
	require.NoError(t, row("chat_files", "content", table.Bytes, make([]byte, maxBytes)))
	require.ErrorContains(t, row("chat_files", "content", table.Bytes, make([]byte, maxBytes+1)), "an import takes")
	require.NoError(t, row("messages", "text", table.Text, strings.Repeat("a", MaxRow-6)))
	require.ErrorContains(t, row("messages", "text", table.Text, strings.Repeat("<", MaxRow/6)), "an import takes")
	require.ErrorContains(t, row("site_pages", "pages", table.Number, int64(mostCounted+1)), "an import does not take")
}

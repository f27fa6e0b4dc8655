package phone

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet/phone/forms"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"

	"github.com/stretchr/testify/require"
)

func TestScript(t *testing.T) {
	s, err := compilePairs([]pair{{"74951234567", "74957654321"}, {"78005553535", "442079460018"}, {"442079460999", "442079460999"}})
	require.NoError(t, err)
	require.JSONEq(t, `[
		[0, "", "74951234567", "74957654321"],
		[1, "8", "4951234567", "4957654321"],
		[2, "", "4951234567", "4957654321"],
		[3, "00 000 001 0011 009 010 011 020 119 810", "74951234567", "74957654321"],
		[4, "78", "4951234567", "4957654321"]
	]`, s.script(0))
	require.JSONEq(t, `[
		[0, "", "78005553535", null, "+44 20 7946 0018", "+442079460018"],
		[1, "8", "8005553535", null, "+44 20 7946 0018", "+442079460018"],
		[2, "", "8005553535", null, "+44 20 7946 0018", "+442079460018"],
		[3, "00 000 001 0011 009 010 011 020 119 810", "78005553535", null, "44 20 7946 0018", "442079460018"],
		[4, "78", "8005553535", null, "+44 20 7946 0018", "+442079460018"]
	]`, s.script(1))
	require.JSONEq(t, `[
		[0, "", "442079460999"],
		[1, "0", "2079460999"],
		[2, "", "2079460999"],
		[3, "00 000 001 0011 009 010 011 020 119 810", "442079460999"],
		[4, "440", "2079460999"]
	]`, s.script(2))
}

// A number of another area code may be written anew, so the text for that goes along.
func TestScriptOfAnotherAreaCode(t *testing.T) {
	s, err := compilePairs([]pair{{"442079460018", "441614960018"}, {"73812123456", "74957654321"}})
	require.NoError(t, err)
	require.Contains(t, s.script(0), `[1,"0","2079460018","1614960018","0161 496 0018",0,3]`)
	require.Contains(t, s.script(1), `[0,"","73812123456","74957654321","7 495 765-43-21",1,-3]`)
}

// A form that two numbers share means neither.
func TestScriptLeavesSharedDigitsOut(t *testing.T) {
	s, err := compilePairs([]pair{{"74951234567", "74957654321"}, {"14951234567", "14957654321"}})
	require.NoError(t, err)
	for i := range s.Len() {
		require.NotContains(t, s.script(i), `[2,`)
		require.Contains(t, s.script(i), `[0,`)
	}
}

// The script reads the table form by form. The output is short.
func TestScriptIsTheWholeTable(t *testing.T) {
	v, sets := readVectors(t)
	require.NotEmpty(t, v.Cases)
	for name, s := range sets {
		t.Run(name, func(t *testing.T) {
			told := 0
			for i := range s.Len() {
				script := s.script(i)
				require.LessOrEqual(t, len(script), 500)
				var rows [][]any
				require.NoError(t, json.Unmarshal([]byte(script), &rows))
				for _, row := range rows {
					for prefix := range strings.SplitSeq(row[1].(string), " ") {
						told++
						requireEntry(t, s, i, prefix, row)
					}
				}
			}
			recognised := 0
			for i := range s.Entries {
				if e := &s.Entries[i]; s.Find(forms.Decimal(e.Text()), len(e.Text()), s.shown) == e {
					recognised++
				}
			}
			require.Equal(t, recognised, told)
		})
	}
}

// requireEntry compares a form of a row with what the matcher finds for its digits.
func requireEntry(t *testing.T, s *replacing, number int, prefix string, row []any) {
	t.Helper()
	old := prefix + row[2].(string)
	e := s.Find(forms.Decimal(old), len(old), s.shown)
	require.NotNil(t, e)
	require.EqualValues(t, number, e.Number)
	require.EqualValues(t, row[0], e.Form.Kind)
	lead, fresh, pours := s.shown[number].Counterpart(e.Form, s.numbers[number])
	anew := s.shown[number].Rewriting(e.Form, s.numbers[number])
	switch len(row) {
	case 3:
		require.Equal(t, old, lead+fresh)
	case 4, 7:
		require.True(t, pours)
		require.Equal(t, prefix+row[3].(string), lead+fresh)
		if len(row) == 7 {
			start, ok := s.numbers[number].Start(e.Form)
			require.True(t, ok)
			require.EqualValues(t, start-len(prefix), row[5])
			require.EqualValues(t, s.shown[number].Area(s.numbers[number]), row[6])
			require.Equal(t, anew.Text, strings.TrimPrefix(row[4].(string), "+"))
		}
	default:
		text, compact := row[4].(string), row[5].(string)
		if anew.Abroad {
			text, compact = strings.TrimPrefix(text, "+"), strings.TrimPrefix(compact, "+")
			require.NotEqual(t, text, row[4])
		}
		require.False(t, pours)
		require.Nil(t, row[3])
		require.Equal(t, anew.Text, text)
		require.Equal(t, anew.Compact, compact)
		if e.Form.Kind == plan.Dialled {
			require.Equal(t, anew.Lead, prefix)
		}
	}
}

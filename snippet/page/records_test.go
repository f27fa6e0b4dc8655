package page_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
)

type told struct {
	ID, From, Raw string
	DT            bool
	Lasts         int
	Forms         []any
}

func recordsOf(t *testing.T, shown snippet.Shown) []told {
	t.Helper()
	var records []told
	require.NoError(t, json.Unmarshal(shown.Records(), &records))
	return records
}

func TestRecords(t *testing.T) {
	printed := pool(t)
	require.Empty(t, recordsOf(t, snippet.Shown{}))
	require.Empty(t, recordsOf(t, printed.Show(make([]string, 3), snippet.ForEveryone)))

	shown := printed.Show([]string{"74957650001", "", "74957650203"}, snippet.ForSource)
	shown.Lease([]snippet.Lease{{}, {}, {Lasting: 150 * time.Second, Alone: true}})
	for i, want := range []told{
		{"number=74951234567", "74951234567", "74957650001", false, 0, nil}, {".phone0", "74951234567", "74957650001", false, 0, nil},
		{"number=74951234569", "74951234569", "74957650203", true, 150, nil}, {".phone2", "74951234569", "74957650203", true, 150, nil},
	} {
		got := recordsOf(t, shown)[i]
		require.Equal(t, i%2 == 0, len(got.Forms) > 0, "numbers have writings, places have none")
		got.Forms = nil
		require.Equal(t, want, got)
	}
}

// However many numbers a site has, an answer is bounded.
func TestRecordsAreBounded(t *testing.T) {
	var numbers []snippet.Number
	var digits []string
	for i := range 80 {
		digits = append(digits, fmt.Sprint(74957650000+i))
		numbers = append(numbers, snippet.Number{Digits: fmt.Sprint(74951234000 + i), Tracking: []snippet.Tracking{{Digits: digits[i]}}})
	}
	printed, err := snippet.NewPrinted(numbers, false)
	require.NoError(t, err)
	shown := printed.Show(digits, snippet.ForSource)
	require.Len(t, recordsOf(t, shown), 64)
	require.Less(t, len(shown.Records()), 32<<10)
}

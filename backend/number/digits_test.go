package number_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
)

// A tracking number is read as people of the printed number's country write it.
func TestBeside(t *testing.T) {
	for _, c := range []struct{ printed, written, want string }{
		{"74951234567", "84957654399", "74957654399"},
		{"74951234567", "8 (495) 765-43-99", "74957654399"},
		{"74951234567", "495 765-43-99", "74957654399"},
		{"74951234567", "74957654399", "74957654399"},
		{"74951234567", "+84957654399", "84957654399"},
		{"74951234567", "442079460018", "442079460018"},
		{"442079460018", "020 7946 0999", "442079460999"},
		{"442079460018", "442079460999", "442079460999"},
		{"14155552671", "415 555 2672", "14155552672"},
		{"4930901820", "4930901821", "4930901821"},
		{"4930901820", "030 901821", "4930901821"},
		{"84951234567", "84957654399", "84957654399"},
		{"", "84957654399", "84957654399"},
	} {
		got, err := number.Beside(c.printed, c.written)
		require.NoError(t, err, c)
		require.Equal(t, c.want, got, c)
	}
	for _, wrong := range []string{"", "+", "a", "765-43-99", "8 (495) 765-43-9"} {
		_, err := number.Beside("74951234567", wrong)
		require.Error(t, err, wrong)
	}
}

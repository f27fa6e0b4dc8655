package console_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Templates are read by people, too.
func TestLinesOfTemplatesAreShort(t *testing.T) {
	files, err := filepath.Glob("*/templates/*.html")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			require.LessOrEqual(t, len([]rune(line)), 200, "%s:%d", file, i+1)
		}
	}
}

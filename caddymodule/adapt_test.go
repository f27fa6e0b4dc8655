package caddymodule

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what adapting gives into the golden files")

const dashes = "----------"

// TestAdapt adapts each Caddyfile in testdata. What follows the dashes is the
// JSON that it gives, or, after "Error:", why it is refused.
func TestAdapt(t *testing.T) {
	files, err := filepath.Glob("testdata/*.caddyfiletest")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".caddyfiletest"), func(t *testing.T) {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			caddyfile, expected, found := strings.Cut(string(content), dashes)
			require.True(t, found, "expected a line of dashes")
			actual := adaptToText(caddyfile)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(caddyfile+dashes+"\n"+actual+"\n"), 0o644))
				return
			}
			require.Equal(t, strings.TrimSpace(expected), actual)
		})
	}
}

// adaptToText is the JSON of the Caddyfile, with tabs, or "Error:" and why there
// is none.
func adaptToText(caddyfile string) string {
	adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), map[string]any{"filename": "Caddyfile"})
	if err != nil {
		return "Error: " + err.Error()
	}
	var text bytes.Buffer
	for _, warning := range warnings {
		text.WriteString("Warning: " + warning.String() + "\n")
	}
	if err := json.Indent(&text, adapted, "", "\t"); err != nil {
		return "Error: " + err.Error()
	}
	return text.String()
}

package command

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// TestDocumentedCommands holds the commands in the documentation to be there, with their flags.
func TestDocumentedCommands(t *testing.T) {
	root := new(cobra.Command)
	setUpCommand(root)
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	found := 0
	for _, file := range append(files, "../../README.md") {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, written := range regexp.MustCompile("caddy frontdesk( [a-z]+[^`\n]*)").FindAllStringSubmatch(string(content), -1) {
			words := strings.Fields(written[1])
			command, _, err := root.Find(words)
			require.NoError(t, err, "%s: %s", file, written[0])
			require.NotSame(t, root, command, "%s: %s", file, written[0])
			for _, word := range words {
				if name, flag := strings.CutPrefix(word, "--"); flag {
					require.NotNil(t, cmp.Or(command.Flag(name), command.InheritedFlags().Lookup(name)), "%s: %s", file, written[0])
				}
			}
			found++
		}
	}
	require.Greater(t, found, 10)
}

package frontdesk

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// maxDocLine is how long a line of the documentation's prose may be, in characters. Tables and code are as long as they are.
const maxDocLine = 120

var codeAlone = regexp.MustCompile("^ *`[^`]*`[.,;:]?$")

func TestLinesOfDocs(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	require.Greater(t, len(files), 10)
	for _, file := range append(files, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		code := false
		for i, line := range strings.Split(string(content), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				code = !code
			}
			if !code && !strings.HasPrefix(line, "|") && !codeAlone.MatchString(line) && utf8.RuneCountInString(line) > maxDocLine {
				t.Errorf("%s:%d: expected at most %d characters, not %d", file, i+1, maxDocLine, utf8.RuneCountInString(line))
			}
		}
	}
}

var (
	docLink    = regexp.MustCompile(`\]\(([^)#:]*\.md)?(#[^)]*)?\)`)
	docHeading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinksOfDocs holds links between the pages to lead to a page and a heading.
func TestLinksOfDocs(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	headings := make(map[string]map[string]bool)
	texts := make(map[string]string)
	for _, file := range append(files, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		texts[file], headings[file] = string(content), make(map[string]bool)
		for _, heading := range docHeading.FindAllStringSubmatch(string(content), -1) {
			headings[file]["#"+strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-")] = true
		}
	}
	for file, text := range texts {
		for _, link := range docLink.FindAllStringSubmatch(text, -1) {
			to := file
			if link[1] != "" {
				to = filepath.Join(filepath.Dir(file), link[1])
			}
			if !strings.HasSuffix(to, ".md") || strings.HasPrefix(link[0], "](http") {
				continue
			}
			require.Contains(t, headings, to, "%s: %s", file, link[0])
			if link[2] != "" {
				require.True(t, headings[to][link[2]], "%s: %s", file, link[0])
			}
		}
	}
}

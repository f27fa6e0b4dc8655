package caddymodule

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"
)

var fenced = regexp.MustCompile("(?ms)^```caddyfile\n(.*?)^```")

// TestDocumentedCaddyfiles validates every Caddyfile in the documentation.
func TestDocumentedCaddyfiles(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	files, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	files = append(files, "../README.md")
	adapted := make(map[string]int)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, block := range fenced.FindAllStringSubmatch(string(content), -1) {
			validate(t, file, block[1])
			require.Equal(t, strings.Contains(block[1], "trusted_proxies "), strings.Contains(block[1], "trusted_proxies_strict\n"), "%s:\n%s", file, block[1])
			adapted[filepath.Base(file)]++
		}
	}
	require.Greater(t, adapted["caddyfile.md"], 10)
	require.NotZero(t, adapted["hosting.md"])
}

// validate provisions a Caddyfile, as "caddy validate" does. Where it names files of the
// reader's, there are such.
func validate(t *testing.T, file, text string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "brand.ttf"), goregular.TTF, 0o600))
	text = strings.ReplaceAll(text, "/var/lib/frontdesk", dir)
	for line := range strings.Lines(text) {
		secret := "a-secret-that-is-long-enough"
		switch {
		case strings.Contains(line, "operator "):
			secret = hash
		case strings.Contains(line, "font "):
			secret = dir
		}
		for _, placeholder := range regexp.MustCompile(`\{(env|file)\.([^}]+)\}`).FindAllStringSubmatch(line, -1) {
			if placeholder[1] == "env" {
				t.Setenv(placeholder[2], secret)
				continue
			}
			here := filepath.Join(dir, filepath.Base(placeholder[2]))
			require.NoError(t, os.WriteFile(here, []byte(secret), 0o600))
			text = strings.ReplaceAll(text, placeholder[2], here)
		}
	}
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), nil)
	require.NoError(t, err, "%s:\n%s", file, text)
	var config caddy.Config
	require.NoError(t, json.Unmarshal(adapted, &config))
	require.NoError(t, caddy.Validate(&config), "%s:\n%s", file, text)
}

// TestDocumentedSubdirectives holds the documentation to have a heading for each
// subdirective, and no other.
func TestDocumentedSubdirectives(t *testing.T) {
	content, err := os.ReadFile("../docs/caddyfile.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(content), "\n## The directive `frontdesk`\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for _, heading := range regexp.MustCompile("(?m)^### `(.*)`$").FindAllStringSubmatch(section, -1) {
		documented = append(documented, heading[1])
	}
	var known []string
	for name := range subdirectives {
		known = append(known, name)
	}
	require.ElementsMatch(t, known, documented)
}

// TestDocumentedSyntax holds the syntax in the documentation to be that above the code, and to have each line of each block.
func TestDocumentedSyntax(t *testing.T) {
	docs, err := os.ReadFile("../docs/caddyfile.md")
	require.NoError(t, err)
	_, documented, _ := strings.Cut(string(docs), "```caddyfile-syntax\n")
	documented, _, _ = strings.Cut(documented, "```")
	code, err := os.ReadFile("handlerfile.go")
	require.NoError(t, err)
	_, above, _ := strings.Cut(string(code), "// UnmarshalCaddyfile sets up the handler from Caddyfile tokens:\n//\n")
	above, _, _ = strings.Cut(above, "//\n// The matcher")
	require.Equal(t, strings.ReplaceAll(above, "//\t", ""), documented)
	var check func(b block, depth int)
	check = func(b block, depth int) {
		for name, line := range b.lines {
			require.Regexp(t, `(?m)^\t{`+strconv.Itoa(depth)+`}`+name+`( |$)`, documented)
			if line.block != nil {
				check(*line.block, depth+1)
			}
		}
	}
	check(handlerBlock, 1)
}

// TestExampleIsValid adapts the example that the README tells to run.
func TestExampleIsValid(t *testing.T) {
	file, err := filepath.Abs("../Caddyfile.example")
	require.NoError(t, err)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt(content, map[string]any{"filename": file})
	require.NoError(t, err)
	require.Empty(t, warnings)
	var config struct {
		Apps struct {
			HTTP struct {
				Servers map[string]struct{ Listen []string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(adapted, &config))
	var listens []string
	for _, server := range config.Apps.HTTP.Servers {
		listens = append(listens, server.Listen...)
	}
	require.ElementsMatch(t, []string{":8080", ":8081", ":8090"}, listens)
}

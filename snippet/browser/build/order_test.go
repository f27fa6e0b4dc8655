package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// order is the direction of the sources: each may import, for its types too, what
// stands before it. So there is no cycle, and what is loaded later can take any piece
// of the core that stands before it.
var order = strings.Fields(`
	config text view crossing
	page settings part consent transport credentials views calls status properties
	numbers/rules numbers/character numbers/idle numbers/observed numbers/hosts numbers/forms numbers/run numbers/writing numbers/surroundings numbers/match numbers/rewrite
	numbers/page numbers/blocks numbers/hydration numbers/roots numbers/places numbers/undo numbers/outcome numbers/start numbers/main
	sentry numbers panels/shell panels presence methods queue main preview fill sha256 proof
	panels/color panels/dom panels/style panels/place panels/frame panels/form panels/trunks panels/number panels/mask panels/request panels/captcha panels/time panels/phone
	panels/notice panels/invitation panels/keep panels/first panels/desk panels/main
	chat/conversation chat/title chat/style chat/sound chat/line chat/state chat/picture chat/compose chat/outbox chat/log chat/mailing chat/where chat/unseen chat/rating chat/main`)

var imports = regexp.MustCompile(`(?m)^(?:import|export)\b[^;]*?\bfrom '([^']+)';|\bimport\('([^']+)'\)`)

func TestSourcesImportInOneDirection(t *testing.T) {
	var sources []string
	require.NoError(t, filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if source, found := strings.CutSuffix(filepath.ToSlash(name), ".ts"); found {
			sources = append(sources, strings.TrimPrefix(source, "../"))
		}
		return err
	}))
	require.ElementsMatch(t, order, sources, "every source has its place in the order")
	found := 0
	for place, source := range order {
		content, err := os.ReadFile(filepath.Join("..", source+".ts"))
		require.NoError(t, err)
		for _, match := range imports.FindAllStringSubmatch(string(content), -1) {
			if !strings.HasPrefix(match[1]+match[2], ".") {
				continue // a package
			}
			imported := path.Join(path.Dir(source), match[1]+match[2])
			at := slices.Index(order, imported)
			require.GreaterOrEqual(t, at, 0, "%s imports %s, which is no source", source, imported)
			require.Less(t, at, place, "%s imports %s, which stands behind it", source, imported)
			found++
		}
		require.Len(t, imports.FindAllString(string(content), -1), strings.Count(string(content), " from '"), "every import of %s is understood", source)
	}
	require.Greater(t, found, 50)
}

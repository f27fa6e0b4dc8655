package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/require"
)

// budgets are what the scripts of sites' pages may weigh now, in bytes of gzip at its best level. With all that is to come the
// core may weigh 6144, since every page of every site pays for it: what comes raises its figure by what it needs and no more.
// The others are loaded by the pages that need them.
var budgets = map[string]int{
	"svc.js":     6144,
	"numbers.js": 9440,
	"preview.js": 3000,
	"fill.js":    600,
	"proof.js":   1024,
	// It is sent with the core script of sites with several domains.
	"crossing.js": 1280,
	// It is sent with the core script of sites with tracking numbers, and saves most of their pages the part.
	"sentry.js": 2030,
	// The parts of the panels may weigh 25,600 together.
	"panels.js": 15360,
	"chat.js":   10240,
}

func TestCommittedScriptsAreBuiltFromTheSources(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	for name, script := range scripts {
		built, err := script.build(root)
		require.NoError(t, err)
		committed, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.True(t, bytes.Equal(built, committed), "%s is not what its sources give: run make generate", name)
	}
}

func TestCommittedRulesAreThoseOfTheServer(t *testing.T) {
	for source, written := range map[string][]byte{rulesSource: rules(), trunksSource: trunks()} {
		committed, err := os.ReadFile(filepath.Join("..", source))
		require.NoError(t, err)
		require.Equal(t, string(written), string(committed), "%s: run make generate", source)
	}
}

func TestScriptsKeepTheirBudgets(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "..", "dist", "*.js"))
	require.NoError(t, err)
	require.Len(t, names, len(budgets))
	for name, budget := range budgets {
		script, err := os.ReadFile(filepath.Join("..", "..", "dist", name))
		require.NoError(t, err)
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		require.NoError(t, err)
		_, err = w.Write(script)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		t.Logf("%s: %d bytes, %d in gzip", name, len(script), packed.Len())
		require.LessOrEqual(t, packed.Len(), budget, name)
	}
}

func TestBundleNamesTheFaultOfASource(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.ts"), []byte("export const broken = ;\n"), 0o600))
	_, err := script{"main.ts", module, "", api.ES2018}.build(dir)
	require.ErrorContains(t, err, "main.ts:1:22")
}

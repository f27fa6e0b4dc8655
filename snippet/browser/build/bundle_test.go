package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// budget is what the script may weigh now, in bytes of gzip at its best level. With all that is to come it may weigh 6144, since
// every page of every site pays for it: what comes raises this figure by what it needs and no more.
const budget = 4220

func TestCommittedScriptIsBuiltFromTheSources(t *testing.T) {
	dir, err := filepath.Abs("..")
	require.NoError(t, err)
	built, err := bundle(dir)
	require.NoError(t, err)
	committed, err := os.ReadFile(filepath.Join("..", "..", "dist", "svc.js"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(built, committed), "snippet/dist/svc.js is not what its sources give: run make generate")
}

func TestScriptKeepsItsBudget(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("..", "..", "dist", "svc.js"))
	require.NoError(t, err)
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	require.NoError(t, err)
	_, err = w.Write(script)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	t.Logf("%d bytes, %d in gzip", len(script), packed.Len())
	require.LessOrEqual(t, packed.Len(), budget)
}

func TestBundleNamesTheFaultOfASource(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.ts"), []byte("export const broken = ;\n"), 0o600))
	_, err := bundle(dir)
	require.ErrorContains(t, err, "main.ts:1:22")
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The documentation shows each of its pictures, every one is small, and none lies
// about.
func TestPicturesOfTheGuide(t *testing.T) {
	const most = 80 << 10
	docs := filepath.Join("..", "..", "docs")
	pages, err := filepath.Glob(filepath.Join(docs, "*.md"))
	require.NoError(t, err)
	said := ""
	for _, page := range append(pages, filepath.Join("..", "..", "README.md")) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		said += string(text)
	}
	var taken, there []string
	for _, s := range append(guide(day{}), guideOfYear(day{})...) {
		taken = append(taken, s.name+".webp")
	}
	files, err := os.ReadDir(filepath.Join(docs, "images"))
	require.NoError(t, err)
	for _, file := range files {
		there = append(there, file.Name())
		info, err := file.Info()
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(most), file.Name())
		require.Contains(t, said, "images/"+file.Name()+")", "%s is shown nowhere", file.Name())
	}
	require.ElementsMatch(t, taken, there, "run make pictures")
}

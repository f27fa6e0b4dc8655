package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheTableOfTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/sizing.md")
	require.NoError(t, err)
	var printed strings.Builder
	table(&printed, 90)
	require.Contains(t, string(page), printed.String(), "write what go run ./bench/scale prints")
}

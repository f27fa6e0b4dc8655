package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The first steps follow what is done elsewhere, and leave when the first visitor has come.
func TestFirstStepsFollow(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.visit(p.console + "/sites")
	desk.until(contains(".first .now", "Open a page of the site"))
	desk.do(`window.sameDocument = true`)
	newTab(t).visit(p.shop + "/lamps/birch.html")
	desk.until(`!document.querySelector(".first") && ` + contains("main", "Visited today"))
	require.True(t, value[bool](desk, `window.sameDocument === true`), "without a reload")
}

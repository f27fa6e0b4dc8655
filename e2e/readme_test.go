package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README's commands lease two numbers, and have one of them called: the call stands in the console with its visitor.
func TestReadmesCall(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)```sh\n(for visitor.*?)```").FindSubmatch(readme)
	require.NotNil(t, found)
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.visit(p.console + "/calls")
	command := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(string(found[1]), "http://localhost:8080", p.shop))
	said, err := command.CombinedOutput()
	require.NoError(t, err, string(said))
	require.Equal(t, "\"raw\":\"74957650011\"\n\"raw\":\"74957650012\"\n{\"success\":true}", strings.TrimSpace(string(said)))
	desk.until(`document.body.innerText.includes("+7 912 345-67-89") && document.body.innerText.includes("+7 495 765-00-11")`)
	desk.until(`document.querySelector("main a[href^='/visitors/']")`)
}

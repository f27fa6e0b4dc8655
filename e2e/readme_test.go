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

// The example as it is shows the button on its pages, the lead form while nobody is there, and the chat.
func TestExampleHasTheChat(t *testing.T) {
	t.Parallel()
	p := runProgram(t, wholeExample(t), "")
	b := newTab(t)
	b.launches(p.shop)
	b.pressIn(".launcher")
	b.until(opened)
	b.until(`panels.querySelector("[name=message]").offsetParent`)
	require.True(t, value[bool](b, `panels.querySelector(".ways").hidden`), "without a platform no call is offered")

	desk := p.signedIn(t)
	desk.visit(p.console + "/chats")
	b.visit(p.shop + "/delivery.html")
	b.until(launched)
	b.until(`Svc.getOperatorStatus()`)
	b.pressIn(".launcher")
	b.until(`panels.querySelector(".greeting")?.textContent === "Ask us about lamps. We answer within minutes."`)
	b.asks("Do you ship to Oslo?")
	desk.until(contains("main", "Do you ship to Oslo?"))
}

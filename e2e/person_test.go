package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An admin looks for somebody, exports what is known, and erases it, all in the console.
func TestAPersonIsErasedInTheConsole(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	visitor := newTab(t)
	visitor.visit(p.shop + "/?utm_source=news")
	visitor.until(`window.Svc && Svc.getCredentials().hit_id`)
	visitor.do(`Svc.addOfflineRequest({name: "Anna", phone: "+7 495 111-22-33"}, (answer) => { window.answered = answer; })`)
	visitor.until(`window.answered && answered.success`)
	visitor.close()

	desk.visit(p.console + "/person")
	look := `document.getElementById("who").value = "8 (495) 111 22 33"; document.querySelector("main form").requestSubmit()`
	desk.do(look)
	desk.until(contains(".known", "Leads"))
	exported := value[string](desk, `(() => { const form = document.querySelector("[data-downloads]"), ask = new XMLHttpRequest();
		ask.open("POST", form.action, false); ask.send(new URLSearchParams(new FormData(form))); return ask.responseText; })()`)
	require.Contains(t, exported, "Anna")
	desk.do(`document.querySelector("[data-downloads] button").click()`) // the page stays
	desk.do(`document.querySelector(".sure summary").click()`)
	desk.do(`document.querySelector(".sure button").click()`)
	desk.until(contains(".notice", "being erased"))
	desk.reloadsUntil(contains(".rows.history", "Erased"))
	desk.do(look)
	desk.until(contains(".known", "Nothing is known"))
	desk.visit(p.console + "/leads")
	desk.until(`document.documentElement.dataset.stream === "live"`)
	require.Zero(t, value[int](desk, `document.querySelectorAll("#leads li").length`))
}

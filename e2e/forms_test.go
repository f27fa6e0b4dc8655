package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// keepingForms is the example with forms that are kept.
func keepingForms(t *testing.T) *program {
	t.Helper()
	config := example(t)
	const directive = "\t\tprerender static\n"
	require.Contains(t, config, directive)
	return runProgram(t, strings.Replace(config, directive, directive+"\t\tcapture /contact {\n\t\t\tform_name Contact\n\t\t}\n\t\tcapture /repair\n", 1), "")
}

// A browser without scripts sends the shop's form: the lead has its visitor and source.
func TestAFormWithoutScriptsIsALead(t *testing.T) {
	t.Parallel()
	p := keepingForms(t)
	desk := p.signedIn(t)
	desk.visit(p.console + "/leads")
	desk.until(`document.documentElement.dataset.stream === "live"`)

	visitor := newTab(t)
	visitor.blockScripts()
	visitor.arriveWith("visitor_id", p.shop+"/?utm_source=news&utm_campaign=autumn")
	visitor.visit(p.shop + "/contacts.html")
	visitor.run(
		chromedp.SendKeys("#your-name", "Anna"), chromedp.SendKeys("#phone", "+7 (495) 765-43-21"), chromedp.SendKeys("#city", "Kazan"),
		chromedp.SendKeys("#message", "When are you open?"), chromedp.Click("form[data-contact] button"),
		chromedp.WaitVisible("main"),
	)
	desk.until(contains("#leads li", "When are you open?"))
	desk.do(`document.querySelector("#leads li a").click()`)
	desk.until(`location.pathname.startsWith("/leads/")`)
	for _, known := range []string{"Anna", "+7 495 765-43-21", "Kazan", "news", "autumn", "Contact", "Captured form"} {
		desk.until(contains("main", known))
	}
}

// A form that the page's script reports and the proxy sees is one lead.
func TestAFormThatComesTwiceIsOneLead(t *testing.T) {
	t.Parallel()
	p := keepingForms(t)
	desk := p.signedIn(t)
	visitor := newTab(t)
	visitor.visit(p.shop + "/contacts.html?utm_source=news")
	visitor.do(`document.getElementById("your-name").value = "Anna";
		document.getElementById("phone").value = "+7 (495) 765-43-21";
		document.getElementById("city").value = "Kazan";
		document.getElementById("message").value = "When are you open?";
		document.querySelector("form[data-contact]").requestSubmit()`)
	visitor.until(`location.pathname === "/contact"`)
	desk.visit(p.console + "/leads")
	desk.until(contains("#leads", "When are you open?"))
	desk.do(`document.querySelector("#leads li a").click()`)
	desk.until(`location.pathname.startsWith("/leads/")`)
	desk.reloadsUntil(contains("main", "Captured form") + ` && ` + contains("main", "Form on the page"))
	desk.visit(p.console + "/leads")
	desk.until(contains("#leads", "When are you open?"))
	require.Equal(t, 1, value[int](desk, `document.querySelectorAll("#leads li").length`))
}

// A form that nobody has named is found, and kept after one click. The console says when it fails.
func TestAFormIsFoundAndKept(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	post := func(status int) {
		t.Helper()
		response, err := http.PostForm(p.shop+"/contact", url.Values{"your-name": {"Anna"}, "phone": {"+74957654321"}, "message": {"Hello"}})
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, status, response.StatusCode)
	}
	post(http.StatusOK)
	desk.visit(p.console + "/leads/forms")
	desk.reloadsUntil(contains("main", "/contact"))
	require.NotContains(t, value[string](desk, `document.querySelector("main").innerText`), "Anna")
	desk.do(`document.querySelector("main li form").requestSubmit()`)
	desk.until(contains(".notice", "kept as leads"))
	desk.until(contains("main li", "Stop keeping"))
	post(http.StatusOK)
	desk.visit(p.console + "/leads?state=spam")
	desk.reloadsUntil(contains("main .rows", "Anna"))
	desk.do(`document.querySelector("main .rows li a").click()`)
	desk.until(contains("main", "sent by a program that says so"))
}

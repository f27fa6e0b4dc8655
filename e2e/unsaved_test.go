package e2e

import "testing"

// asks tells whether the browser would ask before the page is left.
const asks = `!dispatchEvent(new Event("beforeunload", {cancelable: true}))`

// A group begins with the browser's time zone. Who leaves what is changed is asked, until it is saved.
func TestSettingsAreNotLeftUnsaved(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	b := p.signedIn(t)
	b.visit(p.console + "/sites/1/groups/new")
	b.until(`document.querySelector("#zone").value === Intl.DateTimeFormat().resolvedOptions().timeZone`)
	b.until("!" + asks)
	b.types("name", "Sales")
	b.until(asks)
	b.types("phone", "12")
	b.do(`document.querySelector("main .button.main").click()`)
	b.until(`document.querySelector("main .problem") && ` + asks)
	b.types("phone", "")
	b.do(`document.querySelector("main .button.main").click()`)
	b.until(`location.pathname === "/sites/1/groups" && !(` + asks + `)`)
	b.until(contains("main", "Sales"))
}

// An endpoint that has been changed is asked about, too, also when another form of its page is sent. A preview keeps nothing.
func TestEndpointsAreNotLeftUnsaved(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	b := p.signedIn(t)
	b.visit(p.console + "/sites/1/endpoints/new?as=webhook")
	b.until("!" + asks)
	b.types("address", "https://crm.example/hooks")
	b.until(asks)
	b.do(`document.querySelector("main .button.main").click()`)
	b.until(`document.querySelector("#secret") && !(` + asks + `)`)

	b.visit(p.console + "/sites/1/endpoints/new?as=mail")
	b.types("address", "desk@shop.example")
	b.do(`document.querySelector("[name=preview]").click()`)
	b.until(`document.querySelector(".preview") && ` + asks)
	b.do(`document.querySelector("main .button.main").click()`)
	b.until(`location.pathname.startsWith("/sites/1/endpoints/") && document.querySelector("[action$='/test']") && !(` + asks + `)`)
}

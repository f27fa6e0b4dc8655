package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A visitor sends the shop's own forms; the operator sees each request arrive,
// without a reload.
func TestRequestsFromTheShopsFormsAppearInTheConsole(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.visit(p.console + "/leads")
	desk.until(`document.documentElement.dataset.stream === "live"`)
	desk.do(`window.sameDocument = true`)

	// The form that is sent by script and says how it went.
	visitor := newTab(t)
	visitor.visit(p.shop + "/lamps/birch.html?utm_source=news&utm_campaign=autumn")
	visitor.until(`window.Svc && Svc.getCredentials().hit_id`)
	visitor.do(`document.getElementById("ask-name").value = "Anna <b>Petrova</b>";
		document.getElementById("ask-phone").value = "8 495 123 45 67";
		document.getElementById("ask-message").value = "Is Birch in stock?";
		document.querySelector("form[data-request]").requestSubmit()`)
	visitor.until(contains("form[data-request] [role=status]", "has arrived"))
	desk.until(contains("#leads li", "Is Birch in stock?"))
	desk.until(contains("#leads li", "Anna <b>Petrova</b>"))

	// The form that posts and loads the next page.
	visitor.visit(p.shop + "/contacts.html")
	visitor.do(`document.getElementById("your-name").value = "Anna";
		document.getElementById("phone").value = "+7 (495) 765-43-21";
		document.getElementById("message").value = "When are you open?";
		document.querySelector("form[data-contact]").requestSubmit()`)
	visitor.until(`location.pathname === "/contact"`)
	desk.until(contains("#leads", "When are you open?"))
	require.True(t, value[bool](desk, `window.sameDocument === true`))

	// Both are on the card of one visitor, with what led to them.
	desk.do(`document.querySelector("#leads li a").click()`)
	desk.until(`location.pathname.startsWith("/leads/")`)
	desk.until(`document.querySelector("a[href^='/visitors/']")`)
	desk.do(`document.querySelector("a[href^='/visitors/']").click()`)
	desk.until(`location.pathname.startsWith("/visitors/")`)
	for _, known := range []string{"Is Birch in stock?", "When are you open?", "+7 495 123-45-67", "+7 495 765-43-21", "news", "autumn", "/lamps/birch.html"} {
		desk.until(contains("main", known))
	}
}

// An order posts and is redirected. The shop's server passes it on, and it is a sale of
// the visitor who has ordered.
func TestOrdersOfTheShopBecomeLeads(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.visit(p.console + "/leads")
	desk.until(`document.documentElement.dataset.stream === "live"`)

	visitor := newTab(t)
	visitor.visit(p.shop + "/lamps/birch.html?utm_source=news")
	visitor.do(`document.querySelector("form[data-add]").requestSubmit()`)
	visitor.until(contains("form[data-add] [role=status]", "is in your basket"))
	visitor.until(`Svc.getSessionId()`) // where the visit has begun is stored
	order := func(name string) {
		visitor.visit(p.shop + "/order.html")
		visitor.do(`document.getElementById("order-name").value = "` + name + `";
			document.getElementById("order-phone").value = "8 (495) 000-01-77 доб. 12";
			document.getElementById("items").value ||= "One lamp";
			document.getElementById("text").value = "After six, please";`)
	}
	order("Anna Petrova")
	visitor.until(`Svc.getSessionId()`)
	visitor.do(`document.querySelector("form[data-order]").requestSubmit()`)
	visitor.until(`location.pathname === "/thanks.html"`)
	desk.until(contains("#leads li", "Anna Petrova"))
	desk.until(contains("#leads li .tag", "Sale"))
	desk.do(`document.querySelector("#leads li a").click()`)
	desk.until(`location.pathname.startsWith("/leads/")`)
	for _, known := range []string{"After six, please", "+7 495 000-01-77 ext. 12", "items", "Birch", "delivery_city", "Moscow", "Order", "news", "The site's server"} {
		desk.until(contains("main", known))
	}
	require.False(t, value[bool](desk, `document.querySelector("main").innerText.includes("3f6c1e0b9a7d4c52")`), "the form's token is stored")

	// Without credentials it is refused, and kept for the operator to take over.
	order("Boris")
	visitor.do(`window.Svc = undefined; document.querySelector("form[data-order]").requestSubmit()`)
	visitor.until(`location.pathname === "/thanks.html"`)
	require.Eventually(t, func() bool {
		desk.visit(p.console + "/leads/refused")
		return value[bool](desk, contains("main", "A field of the credentials is missing"))
	}, patience, 200*time.Millisecond)
	desk.do(`document.querySelector("details.refused").open = true; document.querySelector("details.refused form button").click()`)
	desk.until(contains("main h1", "Boris"))
	desk.until(contains("main", "+7 495 000-01-77 ext. 12"))
}

// The single-page section is a page view for each of its views.
func TestSinglePageSectionIsFollowed(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	visitor := newTab(t)
	visitor.visit(p.shop + "/app/")
	visitor.until(`Svc.getSessionId()`)
	for _, step := range []string{"shade", "base"} {
		before := value[float64](visitor, `Svc.getCredentials().hit_id`)
		visitor.do(`document.querySelector("a[href^='/app/` + step + `']").click()`)
		visitor.until(`location.pathname === "/app/` + step + `"`)
		visitor.until(fmt.Sprintf(`![undefined, %.0f].includes(Svc.getCredentials().hit_id)`, before))
		desk.until(contains("#guests li", "/app/"+step))
	}
	require.Equal(t, 1, value[int](desk, `document.querySelectorAll("#guests li").length`))
}

package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
)

// A button of the page opens the chat with a group, by its number; once nobody is there, the request goes to that group.
func TestPageNamesAGroup(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	var sales group.Group
	for _, name := range []string{"Help", "Sales"} { // the first one by name is asked by default
		var err error
		sales, err = ann.groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: ann.site, Name: name, Routing: group.ToAll})
		require.NoError(t, err)
	}
	b := newTab(t)
	b.before(seeChat)
	b.visit(p.shop)
	b.until(`window.Svc && Svc.getOperatorStatus && Svc.getCredentials() && Svc.getOperatorStatus()`)
	b.do(`Svc.openChatWindow({group_id: "` + strconv.FormatInt(sales.ID, 10) + `"})`)
	b.until(chatOpen)
	b.says("How much is it?")
	require.Equal(t, []string{"How much is it?"}, ann.hears(1))
	require.Equal(t, sales.ID, ann.conversation().GroupID)

	require.NoError(t, ann.lease.End(t.Context()))
	require.Eventually(t, func() bool {
		return strings.Contains(get(t, p.shop+"/frontdesk/v1/status?k=demo-shop"), `"online":false`)
	}, patience, 50*time.Millisecond)
	b = newTab(t) // of a visitor without a conversation
	b.before(seeChat)
	b.visit(p.shop)
	b.until(`window.Svc && Svc.getCredentials && Svc.getCredentials().hit_id && !Svc.getOperatorStatus()`)
	b.do(`Svc.openChatWindow({group_id: ` + strconv.FormatInt(sales.ID, 10) + `})`)
	b.until(`chatRoot.querySelector(".view:not([hidden]) [name=phone]")`)
	b.front()
	b.do(`chatRoot.querySelector(".view:not([hidden]) [name=phone]").focus()`)
	b.write("84957654321\r")
	b.until(`chatRoot.querySelector(".told")`)
	group, found, err := db.One(t.Context(), ann.db.Read(), db.Only[int64], `SELECT group_id FROM leads WHERE site_id = $1`, ann.site)
	require.NoError(t, err)
	require.Equal(t, []any{true, sales.ID}, []any{found, group})
}

// The last operator leaves while the visitor writes: the lead form takes over, says so, and has the text, also where it
// asks for none.
func TestChatBecomesTheRequestForm(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{"as it is": "", "without a message": "\t\twidget {\n\t\t\tfield phone required\n\t\t}\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ann := runAnswered(t, lines)
			b := newTab(t)
			b.opensChat(p.shop)
			b.do(`const field = chatRoot.querySelector(".writing textarea"); field.value = "I was just about to ask"; field.dispatchEvent(new Event("input"));`)
			require.NoError(t, ann.lease.End(t.Context()))
			b.until(`chatRoot.querySelector("form [name=message]")?.value === "I was just about to ask"`)
			b.until(`chatRoot.querySelector(".chat").hidden`)
			require.Contains(t, value[string](b, `chatRoot.querySelector(".intro").innerText`), "Nobody is here")
		})
	}
}

// A conversation stays one for its visitor when everybody has gone: it is read, and written to.
func TestConversationOutlivesItsOperators(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t, "")
	b := newTab(t)
	b.opensChat(p.shop)
	b.says("Have you lamps?")
	ann.hears(1)
	b.shows("Have you lamps?")
	b.do(`const field = chatRoot.querySelector(".writing textarea"); field.value = "Two of th"; field.dispatchEvent(new Event("input"));`)
	require.NoError(t, ann.lease.End(t.Context()))
	b.until(`chatRoot.querySelector(".chat .state").textContent.includes("Nobody is here")`)
	require.True(t, value[bool](b, `!!(`+chatOpen+`)`))
	require.False(t, value[bool](b, `!!chatRoot.querySelector(".chat .state button")`), "the form is for those who have no conversation")
	require.Equal(t, "Two of th", value[string](b, `chatRoot.querySelector(".writing textarea").value`))
	b.says("Two of them")
	ann.hears(2)

	// The answer comes much later, when nothing of the last page counts any more.
	b.closesChat()
	b.visit("about:blank")
	ann.says("Here they are")
	b.visit(p.shop)
	b.do(`localStorage.removeItem(Object.keys(localStorage).find(name => name.endsWith(":chat")))`)
	b.visit(p.shop)
	b.until(`window.chatRoot && chatRoot.querySelector(".launcher .badge:not([hidden])")?.textContent === "1"`)
	b.do(`chatRoot.querySelector(".launcher").click()`)
	b.until(chatOpen)
	b.shows("Have you lamps?", "Two of them", "Here they are")
	b.says("Thank you")
	require.Equal(t, []string{"Have you lamps?", "Two of them", "Thank you"}, ann.hears(4))
}

// What is written faster than the service takes it goes in a few messages, in its order; what is too long says so and stays.
func TestChatTakesMuchText(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t, "")
	b := newTab(t)
	b.opensChat(p.shop)
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprint("Line ", i))
		b.says(lines[i])
	}
	require.Eventually(t, func() bool { return strings.Join(ann.hears(1), "\n") == strings.Join(lines, "\n") }, time.Minute, 100*time.Millisecond)

	long := strings.Repeat("many words ", 400)
	b.says(long)
	require.Equal(t, "Too long by 399 characters.", value[string](b, `chatRoot.querySelector(".chat .bad:not([hidden])").textContent`))
	require.Equal(t, len(long), int(value[float64](b, `chatRoot.querySelector(".writing textarea").value.length`)))
	b.says(long[:4000])
	require.Eventually(t, func() bool { texts := ann.hears(1); return texts[len(texts)-1] == long[:4000] }, time.Minute, 100*time.Millisecond)
}

// Somebody has come long after the page asked for the last time: the launcher asks before it opens the lead form.
func TestChatOpensByWhatIsKnownNow(t *testing.T) {
	t.Parallel()
	_, settings, database := postgres(t)
	p := runChat(t, database)
	b := newTab(t)
	b.before(seeChat + `{ const now = Date.now; window.later = 0; Date.now = () => now() + later; }`)
	b.visit(p.shop)
	b.until(`window.chatRoot && chatRoot.querySelector(".launcher:not([hidden])") && Svc.getCredentials().hit_id`)
	p.answers(t, settings)
	b.do(`while (!(await (await fetch("/frontdesk/v1/status?k=" + Svc.getCredentials().site_key)).json()).online) await new Promise((pass) => setTimeout(pass, 100))`)
	b.do(`later = 360_000; chatRoot.querySelector(".launcher").click()`)
	b.until(`!chatRoot.querySelector(".panel").hidden`)
	require.True(t, value[bool](b, `!!(`+chatOpen+`)`))
}

// The chat is accessible in both languages, light and dark.
func TestChatIsAccessible(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("testdata/axe-core/axe.min.js")
	require.NoError(t, err)
	p, ann := runAnswered(t)
	b := newTab(t)
	// axe looks into open roots alone.
	b.before(`{const attach = Element.prototype.attachShadow; Element.prototype.attachShadow = function () { const root = attach.call(this, {mode: "open"}); window.chatRoot = root; return root; };}`)
	b.visit(p.shop)
	b.until(`window.Svc && Svc.getOperatorStatus && Svc.getCredentials() && Svc.getOperatorStatus()`)
	b.do(`Svc.openChatWindow()`)
	b.until(chatOpen)
	b.says("Do you ship to Oslo? See https://shop.example/")
	ann.hears(1)
	ann.says("We do.")
	b.until(`chatRoot.querySelectorAll(".msg:has(time)").length === 2`)
	require.Equal(t, "log", value[string](b, `chatRoot.querySelector(".log").getAttribute("role")`))
	for _, scheme := range []string{"light", "dark"} {
		b.prefers("prefers-color-scheme", scheme)
		b.run(chromedp.Evaluate[chromedp.Void](string(axe)))
		found := value[[]violation](b, `axe.run(chatRoot.host, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then((r) => r.violations)`)
		var said strings.Builder
		for _, v := range found {
			for _, n := range v.Nodes {
				fmt.Fprintf(&said, "%s: %s\n%s\n", v.ID, n.HTML, n.FailureSummary)
			}
		}
		require.Empty(t, said.String(), scheme)
	}
}

// Two tabs of one visitor show the same, whichever is written in.
func TestChatInTwoTabs(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	first := newTab(t)
	first.opensChat(p.shop)
	first.says("One")
	ann.hears(1)
	ctx, cancel := chromedp.NewContext(first.ctx)
	t.Cleanup(cancel)
	second := &tab{t: t, ctx: ctx}
	second.opensChat(p.shop)
	second.shows("One")
	second.says("Two")
	ann.hears(2)
	ann.says("Three")
	for _, b := range []*tab{first, second} {
		b.shows("One", "Two", "Three")
	}
}

// What visitors send is a download, of a type that its content shows; what it is not is refused, and they are told.
func TestChatFilesInThePanel(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	b := newTab(t)
	b.opensChat(p.shop)
	choose := func(name, content string) {
		b.do(`const given = new DataTransfer();
			given.items.add(new File([` + fmt.Sprintf("%q", content) + `], "` + name + `", {type: "image/png"}));
			const field = chatRoot.querySelector(".writing input[type=file]");
			field.files = given.files;
			field.dispatchEvent(new Event("change"));`)
	}
	send := func() {
		b.until(`!chatRoot.querySelector(".tray").hidden`)
		b.do(`chatRoot.querySelector(".writing .go").click()`)
	}
	choose("notes.txt", "Birch, 40 cm")
	send()
	ann.hears(1)
	b.until(`chatRoot.querySelector(".own:has(time) a") && chatRoot.querySelector(".own:has(time) a").innerText === "notes.txt"`)
	choose("virus.png", "<!doctype html><script>alert(1)</script>")
	send()
	b.until(`chatRoot.querySelector(".own .bad") && chatRoot.querySelector(".own .bad").innerText === "Files of this kind are not accepted."`)
	require.EqualValues(t, 1, ann.conversation().Seq)

	// What comes meanwhile takes neither the focus nor the place away.
	b.do(`const again = chatRoot.querySelector(".own .bad").parentNode.querySelector("button"); again.focus(); window.again = again;`)
	ann.says("Send a picture, please.")
	b.until(`chatRoot.querySelector(".log").innerText.includes("Send a picture")`)
	require.True(t, value[bool](b, `chatRoot.activeElement === again`))

	// A file may be dropped anywhere on the conversation; the browser does not open it instead.
	require.True(t, value[bool](b, `["dragover", "drop"].every((type) => {
		const given = new DataTransfer();
		given.items.add(new File(["Oak, 60 cm"], "dropped.txt"));
		return !chatRoot.querySelector(".log").dispatchEvent(new DragEvent(type, {dataTransfer: given, bubbles: true, cancelable: true}));
	})`))
	send()
	ann.hears(3)
	b.until(`Array.from(chatRoot.querySelectorAll(".own:has(time) a"), (a) => a.innerText).join() === "notes.txt,dropped.txt"`)

	// What was refused can be taken out, and what is not sent yet too.
	b.do(`chatRoot.querySelector(".own .bad").parentNode.querySelector("button:last-child").click()`)
	b.until(`!chatRoot.querySelector(".own .bad")`)
	choose("notes.txt", "Not this one")
	b.until(`chatRoot.querySelector(".staged").innerText === "notes.txt"`)
	b.do(`chatRoot.querySelector(".staged button").click()`)
	b.until(`chatRoot.querySelector(".tray").hidden`)
	require.EqualValues(t, 3, ann.conversation().Seq)

	// A picture is shown before it is sent and after that, to both.
	b.do(`const canvas = document.createElement("canvas");
		canvas.toBlob((picture) => {
			const given = new DataTransfer();
			given.items.add(new File([picture], "lamp.png", {type: "image/png"}));
			chatRoot.querySelector(".writing textarea").dispatchEvent(new ClipboardEvent("paste", {clipboardData: given, bubbles: true, cancelable: true}));
		});`)
	b.until(`chatRoot.querySelector(".staged .photo canvas[role=img]")`)
	b.do(`const field = chatRoot.querySelector(".writing textarea"); field.value = "This one"; field.dispatchEvent(new Event("input"));`)
	send()
	ann.hears(5)
	const shown = `chatRoot.querySelector(".own:has(time) .photo img[alt='lamp.png']")`
	b.until(shown + ` && ` + shown + `.naturalWidth === 300`)
}

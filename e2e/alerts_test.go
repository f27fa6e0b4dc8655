package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// keepNotifications keeps what the pages have the system show: a headless browser has no desktop that would, and forgets it.
const keepNotifications = `{
	const kept = () => JSON.parse(localStorage.getItem("shown") ?? "{}"), keep = (all) => localStorage.setItem("shown", JSON.stringify(all));
	ServiceWorkerRegistration.prototype.showNotification = async function (title, options) { keep({...kept(), [options.tag]: {title, ...options}}); };
	ServiceWorkerRegistration.prototype.getNotifications = async function () {
		return Object.values(kept()).map((one) => ({...one, close() { const {[one.tag]: closed, ...others} = kept(); keep(others); }}));
	};
}`

// notified waits until the system shows notifications with these texts.
func (b *tab) notified(texts ...string) {
	b.t.Helper()
	b.hasTexts(`Object.values(JSON.parse(localStorage.getItem("shown") ?? "{}")).map((one) => one.body)`, texts...)
}

// allows grants the permission to the pages of the tab.
func (b *tab) allows(permission string) {
	b.t.Helper()
	c := chromiumOf(b.t)
	_, err := cdp.Call(c.ctx, chromedp.FromContext(c.ctx).Browser, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: permission}, Setting: browser.PermissionSettingGranted,
		BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID})
	require.NoError(b.t, err)
}

// worker is the service worker of the tab's pages.
func (b *tab) worker() *tab {
	b.t.Helper()
	b.until(`navigator.serviceWorker.controller`)
	infos, err := chromedp.Targets(b.ctx)
	require.NoError(b.t, err)
	for _, info := range infos {
		if info.Type == "service_worker" && info.BrowserContextID == chromedp.FromContext(b.ctx).BrowserContextID {
			ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithTargetID(info.TargetID))
			b.t.Cleanup(cancel)
			require.NoError(b.t, chromedp.Do(ctx)) // it is attached to, or it would end when it is idle
			return &tab{t: b.t, ctx: ctx}
		}
	}
	require.Fail(b.t, "no service worker")
	return nil
}

// The console can be installed, and tells of messages by the system's notifications, which lead to the conversation and go when it
// is open.
func TestConsoleNotifies(t *testing.T) {
	t.Parallel()
	useWhole(t)
	p := runConversations(t)
	desk := p.signedIn(t)
	manifest, err := chromedp.Call(desk.ctx, page.GetAppManifest, page.GetAppManifestParams{})
	require.NoError(t, err)
	require.Contains(t, manifest.URL, "/assets/manifest")
	require.Empty(t, manifest.Errors)

	desk.allows("notifications")
	desk.before(keepNotifications)
	desk.visit(p.console + "/chats")
	desk.until(`document.documentElement.dataset.stream === "live"`)
	desk.do(`document.querySelector("[data-alerts]").click()`)
	desk.until(`document.querySelector("[data-alerts]").getAttribute("aria-pressed") === "true"`)
	worker := desk.worker()

	visitor := p.comes(t)
	visitor.asks("Do you ship to Oslo?")
	desk.notified("Do you ship to Oslo?")
	visitor.asks("And to Bergen?")
	desk.notified("And to Bergen?") // in place of the first

	// A press on it. Only a person's may put a page in front.
	link := value[string](desk, `Object.values(JSON.parse(localStorage.getItem("shown")))[0].data.link`)
	worker.do(fmt.Sprintf(`WindowClient.prototype.focus = async function () { return this };
		dispatchEvent(Object.assign(new ExtendableEvent("notificationclick"), {notification: {close() {}, data: {link: %q}}, waitUntil() {}}));`, link))
	desk.until(`document.querySelector("[data-chat]") && document.documentElement.dataset.stream === "live"`)
	desk.hasTexts(consoleTexts, "Do you ship to Oslo?", "And to Bergen?")
	desk.notified()

	// Who opens it by another way has seen it as well.
	desk.visit(p.console + "/leads")
	desk.until(`document.documentElement.dataset.stream === "live"`)
	visitor.asks("Hello?")
	desk.notified("Hello?")
	desk.visit(p.console + "/chats")
	desk.opensFirst()
	desk.notified()
}

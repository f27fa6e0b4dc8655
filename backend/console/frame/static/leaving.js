// A page is left only for another one that is there: what fails is said where it was asked for, and what was typed stays.
(() => {
	"use strict";
	const root = document.documentElement;
	const texts = document.querySelector("meta[name=leaving]").dataset;
	const patience = 15000;

	function ask(address, options) {
		return fetch(address, { ...options, signal: AbortSignal.timeout(patience) }).catch(() => null);
	}

	// ---- what has failed, beside it ----

	let said;

	function hush() {
		said?.remove();
		said = undefined;
	}

	function complain(element, text) {
		hush();
		said = document.createElement("p");
		said.className = "failed";
		said.setAttribute("role", "alert");
		said.textContent = text;
		document.body.append(said);
		const at = element.getBoundingClientRect(), own = said.getBoundingClientRect();
		const below = at.bottom + 8 + own.height < innerHeight;
		said.style.top = Math.max(8, below ? at.bottom + 8 : at.top - 8 - own.height) + "px";
		said.style.left = Math.max(8, Math.min(at.left, innerWidth - own.width - 8)) + "px";
	}

	document.addEventListener("complain", ({ detail }) => complain(detail.element, detail.text || texts.unsent));
	document.addEventListener("pointerdown", hush);
	document.addEventListener("keydown", hush);
	addEventListener("scroll", hush, { passive: true });

	function busy(element, is) {
		if (is) element.setAttribute("aria-busy", "true");
		else element.removeAttribute("aria-busy");
	}

	// ---- links ----

	// goes calls go when the server is there. While the page's stream is open, it is.
	async function goes(element, go) {
		if (root.dataset.stream === "live") return go();
		busy(element, true);
		const answer = await ask(texts.probe, { method: "HEAD", cache: "no-store" });
		busy(element, false);
		if (answer?.ok) return go();
		element.reset?.(); // what a form chooses is what the page shows
		complain(element, texts.lost);
	}

	document.addEventListener("click", (event) => {
		const link = event.target.closest?.("a[href]");
		if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
		if (link.target || link.origin !== location.origin || link.getAttribute("href").startsWith("#") || root.dataset.stream === "live") return;
		event.preventDefault();
		goes(link, () => location.assign(link.href));
	});

	// ---- forms ----

	document.addEventListener("submit", async (event) => {
		const form = event.target, button = event.submitter ?? form.querySelector("button");
		if (event.defaultPrevented || form.matches("[data-downloads]")) return;
		event.preventDefault();
		if (form.method !== "post") return goes(form, () => form.submit());
		const body = new URLSearchParams(new FormData(form));
		if (event.submitter?.name) body.set(event.submitter.name, event.submitter.value);
		busy(button, true);
		const answer = await ask(form.action, { method: "POST", body, headers: { "Console-Form": "in the page" } });
		const html = answer && await answer.text().catch(() => "");
		const to = answer?.headers.get("Console-Location");
		if (to) return location.assign(to);
		busy(button, false);
		const fresh = new DOMParser().parseFromString(html || "", "text/html");
		if (answer?.headers.has("Console-Part")) return form.replaceWith(...fresh.body.childNodes);
		const main = fresh.querySelector("main");
		if (!main || answer.status >= 500) return complain(button, answer ? fresh.querySelector("h1")?.textContent || texts.failed : texts.unsent);
		document.querySelector("main").replaceWith(main);
		document.title = fresh.title;
		(main.querySelector("[autofocus]") ?? main.querySelector(".problem")?.nextElementSibling?.querySelector("input"))?.focus();
		document.dispatchEvent(new Event("redrawn"));
	});

	// ---- a page that could not be shown ----

	const again = document.querySelector("a[data-again]");
	if (again) {
		setInterval(async () => {
			const answer = await ask(again.href, { method: "HEAD", cache: "no-store" });
			if (answer?.ok) location.replace(again.href);
		}, 5000);
	}
})();

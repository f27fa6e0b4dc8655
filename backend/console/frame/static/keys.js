// The keys of the inbox: leads are gone through, taken and finished without a mouse.
(() => {
	"use strict";
	const dialog = document.getElementById("keys");
	if (!dialog) return;
	const list = document.querySelector("[data-keys]");

	// ---- the form of filters ----

	const form = document.querySelector(".finding");
	if (form) {
		form.querySelector("[data-zone]").value = new Date().getTimezoneOffset();
		form.addEventListener("formdata", ({ formData }) => { // an address has what is chosen
			for (const [name, value] of [...formData]) if (!value) formData.delete(name);
			if (!formData.has("since") && !formData.has("until")) formData.delete("zone");
		});
	}

	// ---- rows ----

	let last = null;
	const rows = () => [...(list?.children ?? [])];

	function current() {
		const row = document.activeElement?.closest?.("[data-keys] > li") ?? last;
		return row?.isConnected ? row : null;
	}

	function choose(row) {
		if (!row) return;
		last = row;
		row.querySelector("a").focus({ preventScroll: true });
		row.scrollIntoView({ block: "nearest" });
	}

	function move(step) {
		const all = rows(), at = all.indexOf(current());
		choose(all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))]);
	}

	// act does something with the lead of the row, which stays where it is.
	async function act(row, what, fields) {
		const link = row.querySelector("a");
		if (row.getAttribute("aria-busy")) return;
		row.setAttribute("aria-busy", "true");
		const answer = await fetch("/leads/" + what + "/" + row.dataset.lead, {
			method: "POST", headers: { "Console-Row": "in the list" }, body: new URLSearchParams(fields), signal: AbortSignal.timeout(15000),
		}).catch(() => null);
		const html = answer ? await answer.text().catch(() => "") : "";
		row.removeAttribute("aria-busy");
		if (answer?.redirected) return location.reload(); // signed out
		const fresh = new DOMParser().parseFromString(html, "text/html");
		const found = fresh.querySelector("li[data-lead]");
		if (found) document.dispatchEvent(new CustomEvent("rewritten", { detail: found }));
		const problem = fresh.querySelector(".problem")?.textContent;
		if (!found || problem) document.dispatchEvent(new CustomEvent("complain", { detail: { element: link, text: problem } }));
	}

	// press does what the page's own button does, or the row's lead by itself.
	function press(key, what, fields) {
		const button = document.querySelector(`main .working [data-key="${key}"]`);
		if (button) return button.click();
		const row = current();
		if (row) act(row, what, fields(row));
	}

	function take() {
		const me = list?.dataset.me, row = current();
		const mine = row ? row.dataset.owner === me : document.querySelector("main .working [data-key=leave]");
		press(mine ? "leave" : "take", "owner", (row) => mine ? { from: me, to: 0 } : { from: 0, to: me });
	}

	// ---- keys ----

	const stored = "keys-off";
	const off = () => { try { return localStorage.getItem(stored) !== null; } catch { return false; } };
	const box = dialog.querySelector("[data-keys-on]");
	box.checked = !off();
	box.addEventListener("change", () => {
		try { box.checked ? localStorage.removeItem(stored) : localStorage.setItem(stored, ""); } catch { /* it is not kept then */ }
	});

	const deeds = {
		j: () => move(1), k: () => move(-1),
		o: () => current()?.querySelector("a").click(),
		t: take,
		d: () => press("done", "state", () => ({ state: "done" })),
		s: () => press("spam", "state", () => ({ state: "spam" })),
		n: () => document.querySelector("[data-key=note]")?.focus(),
		u: () => document.querySelector("[data-key=back]")?.click(),
		"/": () => document.querySelector("[data-key=search]")?.select(),
		"?": () => dialog.showModal(),
	};

	// Where letters are no Latin ones, the place of the key counts.
	function named(event) {
		if (event.code === "Slash" || event.key === "?" || event.key === "/") return event.key === "?" || event.code === "Slash" && event.shiftKey ? "?" : "/";
		if (event.shiftKey) return "";
		return /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() : event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : "";
	}

	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented || dialog.open) return;
		const typing = event.target.closest?.("input, textarea, select");
		if (typing && event.key === "Escape") return typing.blur();
		const name = named(event);
		if (typing || !deeds[name] || off() && name !== "?") return;
		event.preventDefault();
		deeds[name]();
	});
	document.addEventListener("click", (event) => event.target.closest("[data-keys-help]") && dialog.showModal());
	dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
})();

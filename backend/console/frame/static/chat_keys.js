// The keys of the page of conversations.
(() => {
	"use strict";
	const dialog = document.getElementById("chat-keys"), list = document.getElementById("chats");
	const press = (selector) => document.querySelector(selector)?.click();

	function move(step) {
		const rows = [...list.children];
		const from = document.activeElement?.closest?.("#chats > li") ?? list.querySelector(":scope > .open");
		const to = rows[from ? Math.min(rows.length - 1, Math.max(0, rows.indexOf(from) + step)) : 0];
		to?.querySelector("a").focus();
	}

	const deeds = {
		j: () => move(1),
		k: () => move(-1),
		o: () => document.activeElement?.closest?.("#chats > li")?.querySelector("a").click(),
		c: () => press("#working [data-do=claim]"),
		e: () => press("#working [data-do=close]"),
		r: () => document.getElementById("answer")?.focus(),
		n: () => press("[data-note]"),
		u: () => press("[data-back]"),
		"/": () => {
			const box = document.getElementById("answer");
			if (!box || box.value) return box?.focus();
			box.focus();
			box.value = "/";
			box.dispatchEvent(new Event("input"));
		},
		"?": () => dialog.showModal(),
	};

	// Where letters are no Latin ones, the place of the key counts.
	function named(event) {
		if (event.key === "?" || event.code === "Slash" && event.shiftKey) return "?";
		if (event.key === "/" || event.code === "Slash") return "/";
		if (event.shiftKey) return "";
		return /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() : event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : "";
	}

	const off = () => { try { return localStorage.getItem("keys-off") !== null; } catch { return false; } };
	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented || dialog.open) return;
		if (event.target.closest?.("input, textarea, select")) return;
		const name = named(event);
		if (!deeds[name] || off() && name !== "?") return;
		event.preventDefault();
		deeds[name]();
	});
	document.addEventListener("click", (event) => event.target.closest("[data-chat-keys]") && dialog.showModal());
	dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
})();

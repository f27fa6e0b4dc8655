// The page within the page of a site's panels: the panels themselves, as the form beside it says. Nothing they do goes anywhere.
(() => {
	"use strict";
	const { panels: address, digits, hello, answer, name } = document.currentScript.dataset;
	let scheme = "light", shown, begun = false, part;

	// The panels follow the system. Here they follow what is chosen, and come without moving when a letter has been typed.
	const write = CSSStyleSheet.prototype.replaceSync;
	CSSStyleSheet.prototype.replaceSync = function (css) {
		const dark = scheme === "dark" ? "@media all" : "@media not all";
		return write.call(this, css.replaceAll("@media(prefers-color-scheme:dark)", dark).replaceAll("color-scheme:light dark", "color-scheme:" + scheme) +
			(begun && css.includes("@keyframes") ? "*{animation:none!important}" : ""));
	};
	// Nobody is led away from the form.
	const focus = HTMLElement.prototype.focus;
	HTMLElement.prototype.focus = function (...options) {
		if (document.hasFocus()) focus.apply(this, options);
	};
	// Nothing is kept of what is seen here.
	for (const name of ["localStorage", "sessionStorage"]) {
		Object.defineProperty(window, name, { get() { throw new DOMException("a preview keeps nothing", "SecurityError"); } });
	}

	// The stream of a conversation in which nothing more is said.
	window.EventSource = class {
		constructor() { setTimeout(() => this.onmessage?.({ data: "{}" })); }
		close() {}
	};

	const well = (data) => ({ success: true, status: 200, data: { success: true, ...data } });
	const later = (run, ...args) => setTimeout(run, 400, ...args);

	const conversation = { id: 1, state: "open", operator: name, read: 1, seen: 2, banned: false };

	function talk(body) {
		const at = Date.now() - 60000;
		return well({ online: true, stream: "preview", conversation, messages: JSON.parse(body).after === null ? [
			{ seq: 1, from: "visitor", id: "preview-hello-000000", text: hello, at }, { seq: 2, from: "operator", operator: name, text: answer, at: at + 20000 },
		] : [] });
	}

	function said({ id, request: { text } }) {
		conversation.seen = conversation.read = Math.max(3, conversation.seen + 1);
		return { conversation: { ...conversation }, message: { seq: conversation.seen, from: "visitor", id, text, at: Date.now() } };
	}

	function core(look, online) {
		return {
			base: "/", key: "preview", settings: {}, view: () => ({ credentials: {} }), online: () => online,
			call(route, body, settled) { later(() => settled?.(well(route === "chat/say" ? said(body) : { result: { status: 0, code: "" } }))); },
			async request(route, body) {
				if (route === "chat") return talk(body);
				if (route.startsWith("widget")) return well({ online, ...look });
				if (route.startsWith("captcha")) return well({ key: "preview", url: digits, sound: "" });
				return well({});
			},
		};
	}

	function draw({ look, view, scheme: chosen }) {
		begun = shown === view;
		scheme = chosen;
		shown = view;
		document.documentElement.className = chosen;
		document.documentElement.lang = look.language;
		if (view === "page") { // an invitation is seen at once
			const first = look.widget.invitations[0];
			look.widget.invitations = first ? [{ ...first, id: String(Math.random()), after: 0, address: "", source: "" }] : [];
		} else {
			look.widget.invitations = [];
		}
		const { base, key, settings, call, request, online, view: visit } = core(look, view !== "request");
		const show = (name) => part.show(name, undefined, base, key, settings, call, request, online, visit);
		show("launch");
		if (view !== "page") show(view);
	}

	addEventListener("message", ({ source, origin, data }) => {
		if (part && source === parent && origin === location.origin) draw(data);
	});
	import(address).then((loaded) => {
		part = loaded;
		parent.postMessage("ready", location.origin);
	});
})();

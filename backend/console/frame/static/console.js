// What the pages of the console do beside what htmx does: rows that arrive do
// not move what the operator is looking at, times stay true, and a lost stream
// is said to be lost.
(() => {
	"use strict";
	const root = document.documentElement;
	const words = JSON.parse(document.querySelector("meta[name=words]").content);
	const language = root.lang;
	const title = document.title;

	// ---- times ----

	const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" });
	const moment = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "medium", hourCycle: "h23" });
	const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
	const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
	const counted = (text, count, minutes) => text.replace("#", count).replace("%", minutes);

	function ago(at) {
		const past = (Date.now() - at) / 60000;
		if (past < 1) return words.now;
		if (past < 60) return counted(words.minutes, Math.floor(past));
		if (past < 24 * 60) return counted(words.hours, Math.floor(past / 60));
		if (past < 7 * 24 * 60) return counted(words.days, Math.floor(past / 60 / 24));
		return day.format(at);
	}

	function span(from) {
		const seconds = Math.max(0, Math.floor((Date.now() - from) / 1000));
		if (seconds < 60) return counted(words.seconds, seconds);
		if (seconds < 3600) return counted(words.minutesLong, Math.floor(seconds / 60));
		return counted(words.hoursLong, Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60));
	}

	function write(element, text) {
		if (element.textContent !== text) element.textContent = text;
	}

	function tellTimes(within) {
		for (const time of within.querySelectorAll("time[datetime]")) {
			const at = new Date(time.dateTime);
			if (isNaN(at)) continue;
			time.title = moment.format(at);
			if (time.dataset.as === "span") write(time, span(at));
			else if (time.dataset.as === "clock") write(time, clock.format(at));
			else if (time.dataset.as === "date") write(time, date.format(at));
			else if (time.dataset.as === "moment") write(time, at.toDateString() === new Date().toDateString() ? clock.format(at) : `${date.format(at)}, ${clock.format(at)}`);
			else if (time.dataset.as === "exact") write(time, moment.format(at));
			else write(time, ago(at));
		}
		for (const input of within.querySelectorAll("input[data-at]")) {
			const at = new Date(input.dataset.at);
			if (!isNaN(at)) input.value = new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
			delete input.dataset.at;
		}
	}

	// ---- lists ----

	// A finger leaves :hover behind where it touched last; only a mouse rests on what it points at.
	let mouse = false;
	addEventListener("pointerover", (event) => { mouse = event.pointerType === "mouse"; }, { capture: true, passive: true });

	// held tells whether the operator looks at the rows of the list, so that none may move.
	function held(list) {
		return (mouse && list.matches(":hover")) || list.contains(document.activeElement) ||
			list.getBoundingClientRect().top < -8;
	}

	// Rows that wait for each list, by their ids.
	const waiting = new Map();

	function put(list, row) {
		const shown = document.getElementById(row.id);
		if (!shown || !list.contains(shown)) return false;
		const focused = shown.contains(document.activeElement);
		shown.replaceWith(row);
		if (focused) row.querySelector("a")?.focus({ preventScroll: true });
		return true;
	}

	// rewrite shows what has become of a lead that is on a list already. Who it is from and whether it is read stay.
	function rewrite(row) {
		const shown = document.getElementById(row.id) ?? [...waiting.values()].map((state) => state.rows.get(row.id)).find(Boolean);
		if (!shown) return;
		shown.className = row.className;
		shown.dataset.owner = row.dataset.owner;
		shown.querySelector(".sale").replaceWith(row.querySelector(".sale"));
		if ("merged" in row.dataset) shown.classList.add("gone");
	}

	document.addEventListener("rewritten", (event) => rewrite(event.detail));

	function merge(list, fragment) {
		const rows = [...fragment.querySelectorAll("li[id]")];
		const order = fragment.querySelector("[data-order]")?.dataset.order.split(" ").filter(Boolean);
		const state = waiting.get(list) ?? { rows: new Map(), order: null };
		waiting.set(list, state);
		tellTimes(fragment);
		for (const row of rows.reverse()) {
			if ("changed" in row.dataset) rewrite(row);
			else if (!put(list, row)) {
				if (list === listed && !state.rows.has(row.id)) tellUnread(unread + 1);
				state.rows.delete(row.id);
				state.rows.set(row.id, row);
			}
		}
		if (order) {
			state.order = order;
			const present = new Set(order);
			for (const id of state.rows.keys()) if (!present.has(id)) state.rows.delete(id);
			for (const row of list.children) row.classList.toggle("gone", !present.has(row.id));
		}
		settle(list);
	}

	// settle lets the waiting rows in, unless the operator looks at the list.
	function settle(list, at = held(list)) {
		const state = waiting.get(list);
		if (!state) return;
		if (!at) {
			const fresh = [...state.rows.values()];
			list.prepend(...fresh.reverse());
			state.rows.clear();
			for (const row of list.querySelectorAll(":scope > .gone")) row.remove();
			if (state.order) {
				const rows = state.order.map((id) => document.getElementById(id)).filter((row) => row && list.contains(row));
				if (rows.some((row, i) => list.children[i] !== row)) list.append(...rows);
			}
			const most = Number(list.dataset.most);
			while (most && list.children.length > most) list.lastElementChild.remove();
			for (const row of fresh) row.classList.add("fresh");
		}
		const button = document.querySelector(`[data-waiting="${list.id}"]`);
		if (button) {
			button.hidden = state.rows.size === 0;
			if (!button.hidden) write(button.querySelector("[data-count]"), counted(words.waiting, state.rows.size));
		}
		read();
	}

	document.addEventListener("click", (event) => {
		const button = event.target.closest("[data-waiting]");
		if (!button) return;
		const list = document.getElementById(button.dataset.waiting);
		settle(list, false);
		scrollTo({ top: 0, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
		list.querySelector("a")?.focus({ preventScroll: true });
	});

	const later = () => setTimeout(() => waiting.forEach((_, list) => settle(list)), 300);
	document.addEventListener("pointerout", (event) => event.target.closest?.("[data-live]") && later());
	document.addEventListener("focusout", (event) => event.target.closest?.("[data-live]") && later());
	document.addEventListener("scroll", later, { passive: true });

	// ---- leads that have come and are not read yet ----

	// How many there are is the server's to know, for all browsers of the operator. It tells when some have been read; those that
	// arrive are counted here.
	const badge = document.getElementById("unread");
	let unread = Number(badge?.dataset.count);

	// The title counts the conversations, too, that call for the operator.
	let calling = Number(document.getElementById("chatting")?.dataset.count ?? 0);
	const upTo99 = (count) => count > 99 ? "99+" : String(count);
	const tellTitle = () => { document.title = unread + calling ? `(${upTo99(unread + calling)}) ${title}` : title; };
	document.addEventListener("calling", ({ detail }) => {
		calling = detail;
		tellTitle();
	});

	function tellUnread(count) {
		unread = count;
		const text = upTo99(count);
		tellTitle();
		if (!badge) return;
		badge.hidden = !count;
		write(badge, text);
	}

	// Those who look at the list of leads have read it.
	const listed = document.querySelector("[data-read]");
	let reading = 0;

	function read() {
		if (!listed || !unread || document.visibilityState !== "visible" || waiting.get(listed)?.rows.size) return;
		clearTimeout(reading);
		reading = setTimeout(() => fetch("/leads/read", { method: "POST", body: new URLSearchParams({ site: listed.dataset.read }) }).catch(() => {}), 500);
	}

	document.addEventListener("visibilitychange", read);

	// A burst is told as what it is, under its latest lead.
	const plural = new Intl.PluralRules(language);
	let burst = 0;

	function announce(target, fragment) {
		const arrived = fragment.querySelectorAll("[data-arrived]").length;
		tellUnread(unread + arrived);
		burst += arrived;
		while (fragment.children.length > 1) fragment.lastElementChild.remove();
		if (burst > 1) {
			write(fragment.querySelector("[data-arrivals]"), counted(words.arrivals[plural.select(burst)], burst));
			fragment.querySelector("a").href = "/leads";
		}
		target.replaceChildren(fragment);
	}

	document.addEventListener("click", (event) => {
		if (!event.target.closest("[data-dismiss]")) return;
		burst = 0;
		document.getElementById("arrivals").replaceChildren();
	});

	// ---- the stream ----

	htmx.registerExtension("console", {
		handle_swap: (style, target, fragment) => {
			if (style === "merge") merge(target, fragment);
			else if (style === "unread") tellUnread(Number(fragment.querySelector("[data-count]").dataset.count));
			else if (style === "announce") announce(target, fragment);
			else if (style === "tell") target.dispatchEvent(new CustomEvent("told", { detail: fragment }));
			else return false;
			return true;
		},
	});

	let retry = 0;

	function connection(state) {
		root.dataset.stream = state;
		for (const id of ["lost", "yielded"]) document.getElementById(id).hidden = state !== id;
	}

	function lost(event) {
		const status = event.detail?.status ?? event.detail?.ctx?.response?.status;
		if (status === 401 || status === 404) return location.reload();
		connection("lost");
	}

	const source = document.getElementById("stream");
	if (source) {
		connection("connecting");
		source.addEventListener("htmx:sse:after:connection", () => { retry = 0; connection("live"); });
		source.addEventListener("htmx:sse:error", lost);
		source.addEventListener("ended", () => location.reload());
		// The operator has opened too many pages since. To come back without being asked would drive out one of those.
		source.addEventListener("yielded", () => connection("yielded"));
		// The extension connects anew what was connected once. The first time is tried again here.
		const again = (event) => {
			lost(event);
			setTimeout(() => htmx.trigger(source, "connect"), Math.min(10000, 500 * 2 ** retry++));
		};
		source.addEventListener("htmx:error", again);
		source.addEventListener("htmx:response:error", again);
		addEventListener("offline", () => connection("lost"));
	}

	// ---- the first steps ----

	// They are taken elsewhere, so the page looks whether the next is done, until there is none.
	async function look() {
		const main = document.querySelector("main");
		if (main.querySelector("details[open]") || main.contains(document.activeElement) || document.visibilityState !== "visible") return;
		const answer = await fetch(location.href, { headers: { "Console-Look": "again" } }).catch(() => null);
		if (!answer?.ok || answer.redirected) return;
		const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
		if (!fresh || main.contains(document.activeElement)) return;
		if (!fresh.querySelector(".first")) {
			clearInterval(looking);
			late ??= setTimeout(look, 12000); // figures come some seconds later
		}
		main.replaceWith(fresh);
		tellTimes(document);
	}

	let late;
	const looking = document.querySelector(".first") && setInterval(look, 5000);

	// ---- small things ----

	document.addEventListener("change", (event) => {
		if (event.target.matches("[data-submits]")) event.target.form.requestSubmit();
	});
	// Moments are typed in the browser's time, and sent in UTC. One that was not accepted comes back in it.
	document.addEventListener("formdata", ({ target, formData }) => {
		for (const input of target.querySelectorAll("input[type=datetime-local]")) {
			const at = new Date(input.value);
			if (!isNaN(at)) formData.set(input.name, at.toISOString());
		}
	});
	document.addEventListener("redrawn", () => tellTimes(document));
	document.addEventListener("focusin", (event) => event.target.matches("[data-selects]") && event.target.select());
	document.addEventListener("click", async (event) => {
		const button = event.target.closest("[data-copies]");
		if (!button) return;
		const from = document.getElementById(button.dataset.copies);
		const label = button.querySelector("[data-done]");
		try {
			await navigator.clipboard.writeText(from.value ?? from.textContent);
		} catch { // over plain HTTP there is no clipboard: the text is selected, to be copied by hand
			getSelection().selectAllChildren(from);
			from.select?.();
			return;
		}
		const before = label.textContent;
		write(label, label.dataset.done);
		setTimeout(() => write(label, before), 2000);
	});
	addEventListener("pageshow", (event) => event.persisted && location.reload());

	tellUnread(unread || 0);
	read();
	tellTimes(document);
	setInterval(() => tellTimes(document), 15000);
	for (const list of document.querySelectorAll("[data-live]")) list.classList.add("live");
})();

// The page of conversations: what is said comes and goes without a reload. A message stands there at once, is sent until the server
// has it, and is known again by the id that it got here: so it is never lost and never there twice.
(() => {
	"use strict";
	const talk = document.querySelector("[data-chat]");
	const list = document.getElementById("chats");
	const calmly = () => matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
	const complain = (element, text) => document.dispatchEvent(new CustomEvent("complain", { detail: { element, text } }));
	const remember = {
		get: (key) => { try { return sessionStorage.getItem(key); } catch { return null; } },
		keys: () => { try { return Object.keys(sessionStorage); } catch { return []; } },
		set: (key, value) => { try { value ? sessionStorage.setItem(key, value) : sessionStorage.removeItem(key); } catch { /* it is not kept then */ } },
	};

	// ---- the list ----

	const tab = list.dataset.tab;
	const late = new Map(); // rows that wait until nobody points at the list
	let mouse = false;
	addEventListener("pointerover", (event) => { mouse = event.pointerType === "mouse"; }, { capture: true, passive: true });
	const held = () => (mouse && list.matches(":hover")) || list.contains(document.activeElement);

	function put(row) {
		const shown = document.getElementById(row.id);
		const open = shown?.classList.contains("open");
		if (!row.dataset.in.split(" ").includes(tab) && !open) return shown?.remove();
		if (open) {
			row.classList.add("open");
			row.querySelector("a").setAttribute("aria-current", "true");
		}
		if (!shown) return list.prepend(row);
		const focused = shown.contains(document.activeElement);
		shown.replaceWith(row);
		if (focused) row.querySelector("a").focus({ preventScroll: true });
	}

	function settle() {
		if (held()) return;
		for (const row of late.values()) put(row);
		late.clear();
		const rows = [...list.children], sorted = rows.toSorted((a, b) => b.dataset.last - a.dataset.last);
		if (rows.some((row, i) => row !== sorted[i])) list.append(...sorted);
	}

	list.addEventListener("told", ({ detail }) => {
		for (const row of detail.querySelectorAll("li[id]")) {
			if (document.getElementById(row.id) && row.dataset.in.split(" ").includes(tab)) put(row);
			else late.set(row.id, row);
		}
		settle();
		document.dispatchEvent(new Event("redrawn"));
	});
	list.addEventListener("pointerleave", () => setTimeout(settle, 300));
	list.addEventListener("focusout", () => setTimeout(settle, 300));
	list.addEventListener("click", (event) => { // the tab stays chosen
		const link = event.target.closest("a");
		if (link && tab !== "all") link.search = "tab=" + tab;
	}, { capture: true });

	// ---- what was not sent ----

	const unsent = `unsent ${list.dataset.me} `; // begins the keys: each is of an operator and a conversation
	const plain = (answer, body) => answer?.headers.get("Content-Type")?.startsWith("text/plain") ? body.trim() : "";
	const refused = (answer) => answer && answer.status >= 400 && answer.status < 500 && ![408, 425, 429].includes(answer.status);
	const pause = (longest) => new Promise((resolve) => {
		setTimeout(resolve, longest * (0.75 + Math.random() / 2));
		addEventListener("online", resolve, { once: true });
	});
	// A text outlives its page, on which it was written.
	const sendText = (at, { text, client, note }) => fetch(at + "/messages", {
		method: "POST", body: new URLSearchParams({ text, client, note: Boolean(note) }), keepalive: true, signal: AbortSignal.timeout(20000),
	});

	// sendLeft sends what another page has left behind. What is refused stays for the page of its conversation, which says so.
	async function sendLeft(key) {
		const at = key.slice(unsent.length), left = JSON.parse(remember.get(key));
		for (let wait = 500; left.length;) {
			const answer = await sendText(at, left[0]).catch(() => null);
			if (answer?.redirected || refused(answer)) return;
			if (answer?.ok) {
				left.shift();
				remember.set(key, left.length ? JSON.stringify(left) : "");
				wait = 500;
			} else {
				await pause(wait);
				wait = Math.min(10000, wait * 2);
			}
		}
	}
	for (const key of remember.keys()) if (key.startsWith(unsent) && key !== unsent + talk?.dataset.chat) sendLeft(key);

	if (!talk) return;

	// ---- what was said ----

	const at = talk.dataset.chat;
	const said = document.getElementById("said"), scroller = document.getElementById("scroll");
	const form = talk.querySelector("[data-answer]"), box = document.getElementById("answer");
	const texts = form.dataset;
	const day = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: "long", day: "numeric", month: "long" });
	const entries = () => [...said.querySelectorAll(":scope > li[data-seq]")];
	const last = () => Number(entries().at(-1)?.dataset.seq ?? 0);
	let visitorRead = Number(said.dataset.read), operatorRead = Number(said.dataset.operatorRead);

	const write = (element, text) => { if (element.textContent !== text) element.textContent = text; };

	const low = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
	function goDown(behavior = "auto") {
		scroller.scrollTo({ top: scroller.scrollHeight, behavior });
		talk.querySelector("[data-down]").hidden = true;
	}

	// put the entry in its place by its number. What was sent from here takes the place of what waited.
	function enter(entry) {
		const seq = Number(entry.dataset.seq);
		[...said.querySelectorAll(":scope > li.waits")].find((one) => one.dataset.client === entry.dataset.client)?.remove();
		if (said.querySelector(`:scope > li[data-seq="${seq}"]`)) return false;
		const before = entries().find((one) => Number(one.dataset.seq) > seq) ?? said.querySelector(":scope > li.waits");
		said.insertBefore(entry, before);
		return true;
	}

	// finish touches only what differs: a screen reader says again what is put there again.
	function finish() {
		let shown = "";
		for (const entry of entries()) {
			const date = new Date(entry.querySelector("time").dateTime), text = day.format(date);
			let line = entry.previousElementSibling?.closest(".day");
			if (text === shown) {
				line?.remove();
				continue;
			}
			shown = text;
			if (!line) {
				line = document.createElement("li");
				line.className = "day";
				said.insertBefore(line, entry);
			}
			write(line, new Date().toDateString() === date.toDateString() ? texts.today : text);
		}
		const own = entries().findLast((entry) => entry.classList.contains("operator"));
		let mark = said.querySelector(".delivered");
		if (mark && !own.contains(mark)) {
			mark.remove();
			mark = null;
		}
		if (own) {
			mark ??= own.querySelector(".when").appendChild(Object.assign(document.createElement("span"), { className: "delivered" }));
			write(mark, " · " + (Number(own.dataset.seq) <= visitorRead ? texts.seen : texts.sent));
		}
		document.dispatchEvent(new Event("redrawn"));
		read();
	}

	// take takes in entries that the server has told of.
	function take(fresh) {
		const down = low();
		let new_ = false;
		for (const entry of fresh) {
			new_ = enter(entry) || new_;
			if (entry.classList.contains("visitor")) typing.hidden = true;
		}
		finish();
		if (down) goDown();
		else if (new_) talk.querySelector("[data-down]").hidden = false;
	}

	let fetching = null;
	// fill asks for what is missing between two entries.
	function fill(after) {
		fetching ??= fetch(`${at}/messages?after=${after}`).then(async (answer) => {
			fetching = null;
			if (!answer.ok || answer.redirected) return;
			const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll("li[data-seq]");
			take(fresh);
			const end = Number([...fresh].at(-1)?.dataset.seq ?? 0); // an answer has as many as fit into it
			if (end && end < last() && !said.querySelector(`:scope > li[data-seq="${end + 1}"]`)) fill(end);
		}).catch(() => { fetching = null; });
	}

	said.addEventListener("told", ({ detail }) => {
		const { read, operatorRead: ours } = detail.querySelector("[data-read]").dataset;
		visitorRead = Math.max(visitorRead, Number(read));
		operatorRead = Number(ours); // it goes back when the conversation is handed over
		const fresh = [...detail.querySelectorAll("li[data-seq]")];
		const known = last();
		take(fresh);
		if (fresh.length && known && Number(fresh[0].dataset.seq) > known + 1) fill(known);
	});

	talk.querySelector("[data-earlier]")?.addEventListener("click", async ({ currentTarget: button }) => {
		const first = entries()[0];
		const answer = await fetch(`${at}/messages?before=${first.dataset.seq}`).catch(() => null);
		if (!answer?.ok || answer.redirected) return complain(button);
		const fresh = [...new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll("li[data-seq]")];
		const from = scroller.scrollHeight - scroller.scrollTop;
		for (const entry of fresh) enter(entry);
		finish();
		scroller.scrollTop = scroller.scrollHeight - from;
		if (!fresh.length || Number(fresh[0].dataset.seq) <= 1) button.remove();
	});
	scroller.addEventListener("scroll", () => {
		if (low()) talk.querySelector("[data-down]").hidden = true;
		read();
	}, { passive: true });
	talk.querySelector("[data-down]").addEventListener("click", () => goDown(calmly()));

	// ---- reading ----

	let reading = 0;
	function read() {
		if (document.visibilityState !== "visible" || !document.hasFocus() || !low()) return;
		const seq = Number(entries().findLast((entry) => entry.classList.contains("visitor"))?.dataset.seq ?? 0);
		if (seq <= operatorRead) return;
		clearTimeout(reading);
		reading = setTimeout(async () => {
			const answer = await fetch(at + "/read", { method: "POST", body: new URLSearchParams({ seq }) }).catch(() => null);
			if (answer?.ok && !answer.redirected) operatorRead = Math.max(operatorRead, seq);
		}, 250);
	}
	addEventListener("focus", read);
	document.addEventListener("visibilitychange", read);

	// ---- sending ----

	const stored = unsent + at, draft = `draft ${list.dataset.me} ${at}`;
	const queue = JSON.parse(remember.get(stored) ?? "[]"); // {client, text, note} or {client, file, note}
	const newID = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	const keep = () => remember.set(stored, queue.some((item) => item.text) ? JSON.stringify(queue.filter((item) => item.text)) : "");
	let sending = false;

	function showWaiting(item) {
		const entry = document.createElement("li"), text = document.createElement("p"), state = document.createElement("small");
		entry.className = `waits mine ${item.note ? "note" : "operator"}`;
		entry.dataset.client = item.client;
		text.className = "remark";
		text.textContent = item.text ?? item.file.name;
		state.className = "when";
		state.textContent = texts.sending;
		entry.append(text, state);
		said.append(entry);
		return entry;
	}

	const waitingEntry = (item) => [...said.querySelectorAll(":scope > li.waits")].find((entry) => entry.dataset.client === item.client);

	function refuse(item, why) {
		const entry = waitingEntry(item);
		if (!entry) return;
		const state = entry.querySelector(".when"), drop = document.createElement("button");
		entry.classList.add("refused");
		state.textContent = (why || texts.unsent) + " ";
		drop.type = "button";
		drop.className = "quiet link";
		drop.textContent = texts.drop;
		drop.addEventListener("click", () => { entry.remove(); box.focus(); });
		state.append(drop);
		if (!item.text || box.value) return;
		box.value = item.text;
		note(item.note);
		keepDraft();
		fit();
	}

	const send = (item) => item.file
		? fetch(`${at}/files?` + new URLSearchParams({ name: item.file.name, client: item.client, note: Boolean(item.note) }), { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: item.file })
		: sendText(at, item);

	async function drain() {
		if (sending) return;
		sending = true;
		for (let wait = 500; queue.length;) {
			const item = queue[0];
			const answer = await send(item).catch(() => null);
			if (answer?.redirected) return location.reload(); // signed out; it is sent after the next sign-in
			const body = await answer?.text().catch(() => null);
			if (answer?.ok && body != null) {
				queue.shift();
				keep();
				take(new DOMParser().parseFromString(body, "text/html").querySelectorAll("li[data-seq]"));
				wait = 500;
			} else if (refused(answer)) {
				queue.shift();
				keep();
				refuse(item, plain(answer, body ?? ""));
			} else {
				const entry = waitingEntry(item);
				if (entry) entry.querySelector(".when").textContent = texts.retry;
				await pause(wait);
				wait = Math.min(10000, wait * 2);
			}
		}
		sending = false;
	}
	// A file is not kept: who leaves before it is sent is asked.
	addEventListener("beforeunload", (event) => { if (queue.some((item) => item.file)) event.preventDefault(); });

	function add(item) {
		queue.push(item);
		keep();
		showWaiting(item);
		goDown();
		drain();
	}

	function submit() {
		const text = box.value.trim();
		if (!text) return;
		add({ client: newID(), text, note: noting() });
		box.value = "";
		note(false);
		keepDraft();
		fit();
		box.focus();
	}

	form.addEventListener("submit", (event) => { event.preventDefault(); submit(); });

	// ---- the box ----

	function fit() {
		box.style.height = "auto";
		box.style.height = Math.min(box.scrollHeight + 2, 200) + "px";
	}

	const noteButton = form.querySelector("[data-note]"), plainHint = box.placeholder;
	const noting = () => noteButton.getAttribute("aria-pressed") === "true";
	function note(on) {
		noteButton.setAttribute("aria-pressed", on);
		form.classList.toggle("noting-now", on);
		box.placeholder = on ? box.dataset.noteHint : plainHint;
	}
	// What is kept says, too, whether it is a note: else it would go to the visitor.
	const keepDraft = () => remember.set(draft, box.value && JSON.stringify({ text: box.value, note: noting() }));
	noteButton.addEventListener("click", () => { note(!noting()); keepDraft(); box.focus(); });

	let typed = 0;
	box.addEventListener("input", () => {
		fit();
		keepDraft();
		suggest();
		if (noting() || !box.value.trim() || replies.hidden === false || Date.now() - typed < 3000) return;
		typed = Date.now();
		fetch(at + "/typing", { method: "POST" }).catch(() => {});
	});

	function attach(files) {
		for (const file of files) {
			if (file.size > 5 * 1024 * 1024) complain(box, texts.large);
			else add({ client: newID(), file, note: noting() });
		}
	}
	const input = form.querySelector("input[type=file]");
	input.addEventListener("change", () => { attach(input.files); input.value = ""; });
	box.addEventListener("paste", (event) => {
		if (!event.clipboardData.files.length) return;
		event.preventDefault();
		attach(event.clipboardData.files);
	});
	talk.addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
	talk.addEventListener("drop", (event) => {
		if (!event.dataTransfer.files.length) return;
		event.preventDefault();
		attach(event.dataTransfer.files);
	});

	// ---- canned replies ----

	const replies = document.getElementById("replies"), options = [...replies.children];
	let chosen = null;

	function choose(option) {
		chosen?.removeAttribute("aria-selected");
		chosen = option;
		chosen?.setAttribute("aria-selected", "true");
		chosen?.scrollIntoView({ block: "nearest" });
		if (chosen) box.setAttribute("aria-activedescendant", chosen.id);
		else box.removeAttribute("aria-activedescendant");
	}

	const offered = () => options.filter((option) => !option.hidden);

	function suggest() {
		const word = /^\s*\/(\S*)$/.exec(box.value)?.[1].toLowerCase();
		for (const option of options) option.hidden = word === undefined || !(option.dataset.word.startsWith(word) || option.dataset.text.toLowerCase().includes(word));
		const found = offered();
		replies.hidden = !found.length;
		choose(found[0] ?? null);
	}

	function insert(option) {
		if (/^\s*\/\S*$/.test(box.value)) box.value = "";
		box.setRangeText(option.dataset.text, box.selectionStart, box.selectionEnd, "end");
		replies.hidden = true;
		choose(null);
		fit();
		keepDraft();
		box.focus();
	}
	replies.addEventListener("mousedown", (event) => {
		const option = event.target.closest("[role=option]");
		event.preventDefault();
		if (option) insert(option);
	});

	const touch = matchMedia("(pointer: coarse)");
	box.addEventListener("keydown", (event) => {
		if (event.isComposing) return;
		const place = event.altKey && !event.ctrlKey && !event.metaKey && /^Digit([1-9])$/.exec(event.code)?.[1];
		if (place) {
			const option = options.find((one) => one.dataset.place === place);
			if (!option) return;
			event.preventDefault();
			return insert(option);
		}
		if (!replies.hidden) {
			const found = offered(), now = found.indexOf(chosen);
			if (event.key === "ArrowDown" || event.key === "ArrowUp") {
				event.preventDefault();
				return choose(found[(now + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length]);
			}
			if ((event.key === "Enter" || event.key === "Tab") && chosen) {
				event.preventDefault();
				return insert(chosen);
			}
			if (event.key === "Escape") {
				event.preventDefault();
				replies.hidden = true;
				return choose(null);
			}
		}
		if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey && !touch.matches) {
			event.preventDefault();
			submit();
		}
	});

	// ---- what is done with the conversation ----

	const working = document.getElementById("working");
	let fresh = null; // what it has become while somebody chooses
	function rework() {
		const focused = working.contains(document.activeElement);
		if (!fresh || (focused && working.querySelector("details[open]"))) return;
		if (fresh.innerHTML !== working.innerHTML) {
			working.replaceChildren(...fresh.childNodes);
			if (focused) working.querySelector("summary").focus(); // whose second press does nothing
		}
		fresh = null;
	}
	working.addEventListener("told", ({ detail }) => {
		fresh = detail.querySelector("div");
		rework();
	});
	working.addEventListener("toggle", rework, { capture: true });
	function fold(open) {
		open.querySelector("summary").focus();
		open.removeAttribute("open");
	}
	working.addEventListener("keydown", (event) => {
		const open = working.querySelector("details[open]");
		if (event.key === "Escape" && open) fold(open);
	});

	const path = document.getElementById("path");
	path.addEventListener("told", ({ detail }) => {
		if (path.contains(document.activeElement)) return;
		path.replaceChildren(...detail.querySelector("div").childNodes);
		document.dispatchEvent(new Event("redrawn"));
	});

	async function work(element, fields) {
		element.setAttribute("aria-busy", "true");
		const answer = await fetch(at + "/work", { method: "POST", body: new URLSearchParams(fields), signal: AbortSignal.timeout(15000) }).catch(() => null);
		element.removeAttribute("aria-busy");
		if (answer?.redirected) return location.reload();
		if (answer?.ok) {
			const open = element.closest("details[open]");
			return open && fold(open);
		}
		complain(element, plain(answer, await answer?.text().catch(() => "") ?? ""));
	}
	working.addEventListener("click", (event) => {
		const button = event.target.closest("[data-do]");
		if (button?.dataset.do === "hand") {
			const to = document.getElementById("hand");
			if (to.value) work(button, { do: "hand", to: to.value });
			else to.focus();
		} else if (button) work(button, { do: button.dataset.do });
	});
	document.addEventListener("click", (event) => {
		const open = working.querySelector("details[open]");
		if (open && !open.contains(event.target)) open.removeAttribute("open");
	});

	// ---- typing ----

	const typing = document.getElementById("typing");
	let stops = 0;
	typing.addEventListener("told", () => {
		const down = low();
		typing.hidden = false;
		if (down) goDown();
		clearTimeout(stops);
		stops = setTimeout(() => { typing.hidden = true; }, 5000);
	});

	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape" && event.target === box && !event.defaultPrevented) box.blur();
	});

	// ---- the beginning ----

	const begun = JSON.parse(remember.get(draft) ?? "{}");
	box.value = begun.text ?? "";
	note(Boolean(begun.note));
	for (const item of queue) showWaiting(item);
	finish();
	goDown();
	fit();
	suggest();
	if (!touch.matches) box.focus();
	drain();
})();

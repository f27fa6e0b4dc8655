// Tells of conversations on every page: beside the navigation, in the title, and to those who have asked for it by the system's
// notifications and a sound.
(() => {
	"use strict";
	const badge = document.getElementById("chatting");
	if (!badge) return;
	const can = "Notification" in window && isSecureContext;
	const asked = { get: () => { try { return localStorage.getItem("alerts") === "on"; } catch { return false; } }, set: (on) => { try { localStorage.setItem("alerts", on ? "on" : "off"); } catch { /* it is not kept then */ } } };
	const on = () => can && asked.get() && Notification.permission === "granted";

	function show(count) {
		badge.dataset.count = count;
		badge.hidden = !count;
		badge.textContent = count > 99 ? "99+" : count;
		document.dispatchEvent(new CustomEvent("calling", { detail: count }));
	}

	badge.addEventListener("told", ({ detail }) => {
		const told = detail.querySelector("[data-count]");
		show(Number(told.dataset.count));
		for (const name of ["waiting", "mine"]) {
			const tab = document.querySelector(`.queue a[data-tab=${name}]`);
			if (!tab || !(name in told.dataset)) continue;
			tab.querySelector("b")?.remove();
			if (told.dataset[name] === "0") continue;
			tab.append(" ", Object.assign(document.createElement("b"), { textContent: told.dataset[name] }));
		}
		const news = [...told.querySelectorAll("[data-link]")].filter((one) => !(document.hasFocus() && location.pathname === one.dataset.link));
		if (on()) news.forEach(tell);
	});

	// The page on which somebody reads a conversation takes away what was told of that, and holds a lock, for the others not to tell
	// of it.
	let leave = null;
	function attend() {
		leave?.();
		leave = null;
		if (!document.hasFocus() || !document.querySelector("[data-chat]")) return;
		withdraw();
		if (!navigator.locks) return;
		const left = new Promise((resolve) => { leave = resolve; });
		navigator.locks.request("reading " + location.pathname, { mode: "shared" }, () => left);
	}

	async function withdraw() {
		const worker = await navigator.serviceWorker?.getRegistration().catch(() => null);
		for (const shown of await worker?.getNotifications() ?? []) if (shown.data?.link === location.pathname) shown.close();
	}

	// Of several open pages one tells.
	function tell(news) {
		const { link, tag, from, text } = news.dataset;
		const once = navigator.locks ? (f) => navigator.locks.request(`alert ${tag} ${text}`, { ifAvailable: true }, (lock) => lock && f()) : (f) => f();
		once(async () => {
			if ((await navigator.locks?.query())?.held.some((lock) => lock.name === "reading " + link)) return;
			ring();
			const options = { body: text, tag, data: { link }, renotify: true };
			const worker = await navigator.serviceWorker?.getRegistration().catch(() => null);
			if (worker?.active) await worker.showNotification(from, options).catch(() => {});
			else {
				const shown = new Notification(from, options);
				shown.onclick = () => { focus(); location.assign(link); };
			}
			await new Promise((resolve) => setTimeout(resolve, 1500));
		});
	}

	// Two short tones, made here: there is no file to load.
	let sound = null;
	function ring() {
		try {
			sound ??= new AudioContext();
			for (const [at, pitch] of [[0, 660], [0.12, 880]]) {
				const tone = sound.createOscillator(), loud = sound.createGain(), from = sound.currentTime + at;
				tone.frequency.value = pitch;
				loud.gain.setValueAtTime(0.0001, from);
				loud.gain.exponentialRampToValueAtTime(0.12, from + 0.02);
				loud.gain.exponentialRampToValueAtTime(0.0001, from + 0.22);
				tone.connect(loud).connect(sound.destination);
				tone.start(from);
				tone.stop(from + 0.25);
			}
		} catch { /* it stays silent */ }
	}

	const button = document.querySelector("[data-alerts]");
	if (button && can) {
		const state = () => button.setAttribute("aria-pressed", on());
		button.hidden = false;
		state();
		button.addEventListener("click", async () => {
			if (on()) asked.set(false);
			else {
				asked.set(await Notification.requestPermission() === "granted");
				if (on()) {
					navigator.serviceWorker?.register("/worker.js").catch(() => {});
					ring();
				}
			}
			state();
		});
	}
	addEventListener("focus", attend);
	addEventListener("blur", attend);
	attend();
	show(Number(badge.dataset.count));
})();

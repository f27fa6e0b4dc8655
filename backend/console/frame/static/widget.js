// The page of a site's panels: what they would look like as the form is filled in, beside it.
(() => {
	"use strict";
	const pause = 150;
	let form, stage, frame, timer, asked, look;
	let ready = false;

	const picked = (name) => stage.querySelector(`input[name=${name}]:checked`).value;

	// show has the panels drawn anew in the frame, as they were told last.
	function show() {
		if (ready && look) {
			frame.contentWindow.postMessage({ look, view: picked("view"), scheme: picked("scheme") }, location.origin);
		}
	}

	// ask learns what the panels would be told if the form were saved. An answer that comes late counts for nothing.
	async function ask() {
		const body = new URLSearchParams(new FormData(form));
		body.set("in", picked("in"));
		const mine = asked = new AbortController();
		const answer = await fetch(form.dataset.look, { method: "POST", body, signal: mine.signal }).catch(() => null);
		const told = answer?.ok && await answer.json().catch(() => null);
		if (!told || mine !== asked) return;
		look = told.look;
		warn(told.warnings ?? []);
		show();
	}

	function soon() {
		asked?.abort();
		clearTimeout(timer);
		timer = setTimeout(ask, pause);
	}

	function warn(warnings) {
		const list = form.querySelector("[data-warnings]");
		if (list.textContent.trim() === warnings.join("")) return;
		list.replaceChildren(...warnings.map((text) => {
			const one = form.querySelector("template[data-warning]").content.cloneNode(true);
			one.querySelector("span").textContent = text;
			return one;
		}));
	}

	// The frame is as wide as a device, and as large on the page as there is room.
	const sizes = { desktop: [640, 680], telephone: [390, 680] };

	function fit() {
		const [width, height] = sizes[picked("device")], room = frame.parentElement.clientWidth;
		const scale = Math.min(1, room / width);
		frame.style.width = width + "px";
		frame.style.height = height + "px";
		frame.style.transform = `scale(${scale})`;
		frame.style.marginInlineStart = Math.max(0, (room - width * scale) / 2) + "px";
		frame.parentElement.style.height = height * scale + "px";
	}

	function find(input) {
		const list = document.getElementById(input.dataset.finds), sought = input.value.trim().toLowerCase();
		let found = 0;
		for (const row of list.children) {
			const words = [row.textContent, ...[...row.querySelectorAll("textarea")].flatMap((area) => [area.value, area.placeholder])].join(" ").toLowerCase();
			row.hidden = !words.includes(sought);
			found += !row.hidden;
		}
		const none = form.querySelector("[data-found]");
		none.textContent = found ? "" : none.dataset.found;
	}

	function typed(event) {
		const input = event.target;
		if (input.dataset.finds) return find(input);
		if (input.dataset.colors) document.getElementById(input.dataset.colors).value = input.value;
		const swatch = input.id && form.querySelector(`[data-colors="${input.id}"]`);
		if (swatch && /^#[0-9a-f]{6}$/i.test(input.value)) swatch.value = input.value;
		soon();
	}

	// What is picked stays so when the form is drawn anew.
	const picks = {};

	function chosen({ target }) {
		picks[target.name] = target.value;
		if (target.name === "device") fit();
		else if (target.name === "in") ask();
		else show();
	}

	addEventListener("message", ({ source, origin, data }) => {
		if (!frame || source !== frame.contentWindow || origin !== location.origin || data !== "ready") return;
		ready = true;
		show();
	});

	function begin() {
		form = document.querySelector("form[data-widget]");
		stage = document.querySelector("[data-stage]");
		frame = stage?.querySelector("iframe");
		if (!form || !frame) return;
		ready = false;
		for (const [name, value] of Object.entries(picks)) stage.querySelector(`input[name=${name}][value=${value}]`).checked = true;
		form.addEventListener("input", typed);
		form.addEventListener("keydown", (event) => { // a text has one line
			if (event.key === "Enter" && !event.isComposing && event.target.matches("textarea, [data-finds]")) event.preventDefault();
		});
		stage.addEventListener("change", chosen);
		new ResizeObserver(fit).observe(frame.parentElement);
		fit();
		ask();
	}

	document.addEventListener("redrawn", begin);
	begin();
})();

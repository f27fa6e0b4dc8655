// The configurator is one page with a view for each step. The step is the path and the choices are the
// query, so that every view can be linked to, reloaded and reached with the browser's back button.
'use strict';

const steps = {
	shade: { title: 'Choose a shade', options: { linen: ['Natural linen', 6400], paper: ['Washi paper', 5200], opal: ['Opal glass', 8900] } },
	base: { title: 'Choose a base', options: { oak: ['Oiled oak', 7800], ash: ['Blackened ash', 8200], stone: ['Karelian stone', 11500] } },
	size: { title: 'Choose a size', options: { small: ['Bedside lamp, 32 cm', 0], table: ['Table lamp, 48 cm', 1900], floor: ['Floor lamp, 150 cm', 9400] } },
};
const order = ['shade', 'base', 'size', 'summary'];
const looks = {
	shade: { linen: '#d8c7a5', paper: '#f1e8d2', opal: '#f7f3ea' },
	base: { oak: '#a9773f', ash: '#3b352f', stone: '#7e7a74' },
	size: { small: 60, table: 100, floor: 150 },
};
const rubles = new Intl.NumberFormat('en', { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol', maximumFractionDigits: 0 });

const view = document.querySelector('[data-view]');
const picture = document.querySelector('[data-picture]');

function element(name, attributes, ...children) {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		made.setAttribute(key, value);
	}
	made.append(...children);
	return made;
}

function current() {
	const step = location.pathname.split('/')[2];
	const query = new URLSearchParams(location.search);
	const chosen = {};
	for (const [name, { options }] of Object.entries(steps)) {
		const choice = query.get(name);
		chosen[name] = Object.hasOwn(options, choice ?? '') ? choice : Object.keys(options)[0];
	}
	return { step: order.includes(step) ? step : order[0], chosen };
}

function address(step, chosen) {
	return `/app/${step}?${new URLSearchParams(chosen)}`;
}

function priceOf(chosen) {
	return Object.entries(steps).reduce((sum, [name, { options }]) => sum + options[chosen[name]][1], 0);
}

function choices(step, chosen) {
	const { title, options } = steps[step];
	const next = order[order.indexOf(step) + 1];
	const radios = Object.entries(options).map(([value, [label, price]]) => {
		const radio = element('input', { type: 'radio', name: step, value });
		radio.checked = chosen[step] === value;
		// Changing a choice is no new view, so it does not fill the history.
		radio.addEventListener('change', () => {
			history.replaceState(null, '', address(step, { ...current().chosen, [step]: value }));
			draw();
		});
		return element('label', { class: 'choice' }, radio, price ? `${label}, ${rubles.format(price)}` : label);
	});
	return [
		element('h2', { tabindex: '-1' }, title),
		element('fieldset', {}, element('legend', {}, `So far ${rubles.format(priceOf(chosen))}`), ...radios),
		element('a', { class: 'button', href: address(next, chosen), 'data-step': '' }, next === 'summary' ? 'See your lamp' : 'Next'),
	];
}

function summary(chosen) {
	const words = Object.entries(steps).map(([name, { options }]) => options[chosen[name]][0]);
	return [
		element('h2', { tabindex: '-1' }, 'Your lamp'),
		element('ul', {}, ...words.map((word) => element('li', {}, word))),
		element('p', { class: 'price' }, rubles.format(priceOf(chosen))),
		// Written into the page by script, as numbers on single-page sites are.
		element('p', {}, 'Made in two weeks. Order it by telephone: ',
			element('a', { class: 'phone', href: 'tel:+74951234567' }, '+7 (495) 123-45-67'), '.'),
		element('a', { class: 'button', href: '/contacts.html' }, 'Or write to us'),
	];
}

function draw() {
	const { step, chosen } = current();
	for (const link of document.querySelectorAll('.steps a')) {
		const own = link.dataset.step;
		link.href = address(own, chosen);
		if (own === step) {
			link.setAttribute('aria-current', 'step');
		} else {
			link.removeAttribute('aria-current');
		}
	}
	picture.querySelector('.shade').style.fill = looks.shade[chosen.shade];
	for (const part of picture.querySelectorAll('.base')) {
		part.style.fill = looks.base[chosen.base];
	}
	const height = looks.size[chosen.size];
	picture.querySelector('.stem').setAttribute('height', height);
	picture.querySelector('.stem').setAttribute('y', 300 - height);
	picture.querySelector('.head').setAttribute('transform', `translate(0 ${100 - height})`);

	const focused = document.activeElement?.value;
	view.replaceChildren(...(step === 'summary' ? summary(chosen) : choices(step, chosen)));
	view.querySelector(`input[value="${focused}"]`)?.focus();
	document.title = `${view.querySelector('h2').textContent} · Northlight`;
}

// Focus goes to the new view's heading, so that its name is read out.
function arrive() {
	draw();
	view.querySelector('h2').focus();
}

document.addEventListener('click', (event) => {
	const link = event.target.closest('a[data-step]');
	if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
		return;
	}
	event.preventDefault();
	history.pushState(null, '', link.href);
	arrive();
});
window.addEventListener('popstate', arrive);
draw();

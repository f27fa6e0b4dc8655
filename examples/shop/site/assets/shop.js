// What the shop's pages do beyond plain HTML. Every page works without this file, and this file works
// without the tracking script: `Svc` is looked for at the moment that it is needed.
'use strict';

// The basket is a map from article number to {name, price, count}, kept in this browser.
const basket = {
	read() {
		try {
			return JSON.parse(localStorage.getItem('basket')) || {};
		} catch {
			return {};
		}
	},
	write(items) {
		try {
			localStorage.setItem('basket', JSON.stringify(items));
		} catch {
			// Storage is switched off or full: the order form can still be filled in by hand.
		}
		showBasketCount();
	},
};

const rubles = new Intl.NumberFormat('en', { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol', maximumFractionDigits: 0 });

function showBasketCount() {
	const count = Object.values(basket.read()).reduce((sum, item) => sum + item.count, 0);
	for (const place of document.querySelectorAll('[data-basket-count]')) {
		place.textContent = count ? ` (${count})` : '';
	}
}

function tell(form, text, good) {
	const answer = form.querySelector('[role=status]');
	answer.textContent = text;
	answer.classList.toggle('good', good);
}

// "Add to basket" is a form that leads to the order page; here it stays on the page.
for (const form of document.querySelectorAll('form[data-add]')) {
	form.addEventListener('submit', (event) => {
		event.preventDefault();
		const items = basket.read();
		const { add, name, price } = form.dataset;
		const count = (items[add]?.count || 0) + 1;
		items[add] = { name, price: Number(price), count };
		basket.write(items);
		tell(form, `${name} is in your basket.`, true);
	});
}

// The order form posts and reloads. It carries the visitor's credentials in hidden fields, so that
// the shop's server can pass the order on as a request of this very visitor.
for (const form of document.querySelectorAll('form[data-order]')) {
	const items = Object.entries(basket.read());
	if (items.length) {
		const cost = items.reduce((sum, [, item]) => sum + item.price * item.count, 0);
		form.elements.items.value = items.map(([article, item]) => `${item.count} × ${item.name} (${article})`).join('\n');
		form.elements.sale_cost.value = cost;
		document.querySelector('[data-basket-total]').textContent = `Total: ${rubles.format(cost)}`;
	}
	form.addEventListener('submit', () => {
		const credentials = window.Svc?.getCredentials?.() || {};
		for (const name in credentials) {
			const field = form.elements[name] || form.appendChild(document.createElement('input'));
			field.type = 'hidden';
			field.name = name;
			field.value = credentials[name];
		}
	});
}

// Only the page that follows an accepted order empties the basket.
if (document.querySelector('[data-ordered]')) {
	basket.write({});
}

// The request form goes out by script when the tracking script is there; otherwise, or when sending
// fails, it posts like any other form.
for (const form of document.querySelectorAll('form[data-request]')) {
	form.addEventListener('submit', (event) => {
		if (typeof window.Svc?.addOfflineRequest !== 'function') {
			return;
		}
		event.preventDefault();
		const button = form.querySelector('button');
		const fields = form.elements;
		button.disabled = true;
		tell(form, 'Sending…', false);
		window.Svc.addOfflineRequest({
			name: fields.name.value,
			phone: fields.phone.value,
			email: fields.email.value,
			message: fields.message.value,
			form_name: 'Ask a question',
			user_fields: { lamp: form.dataset.request },
		}, (answer) => {
			button.disabled = false;
			if (!answer.success) {
				tell(form, '', false);
				form.submit();
				return;
			}
			form.reset();
			tell(form, 'Thank you, your question has arrived. We answer within the hour, 10:00 to 20:00.', true);
		});
	});
}

// The contact form posts and reloads, and tells of itself while it leaves the page.
for (const form of document.querySelectorAll('form[data-contact]')) {
	form.addEventListener('submit', () => {
		const fields = form.elements;
		window.Svc?.addOfflineRequest?.({
			name: fields['your-name'].value,
			phone: fields.phone.value,
			email: fields.mail.value,
			message: fields.message.value,
			form_name: 'Contact',
			user_fields: { city: fields.city.value },
		});
	});
}

// Downloads are worth an event in the reports.
document.addEventListener('click', (event) => {
	const link = event.target.closest?.('a[data-download]');
	if (link) {
		window.Svc?.trackEvent?.('download', 'click', link.dataset.download);
	}
});

// A link to a fragment is replaced by the fragment.
for (const link of document.querySelectorAll('a[data-fragment]')) {
	fetch(link.href, { headers: { 'X-Requested-With': 'XMLHttpRequest' } })
		.then((response) => (response.ok ? response.text() : Promise.reject(response.status)))
		.then((text) => link.replaceWith(document.createRange().createContextualFragment(text)))
		.catch(() => {}); // The link stays, and leads to the same text.
}

showBasketCount();
window.addEventListener('pageshow', showBasketCount);

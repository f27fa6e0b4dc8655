// Shows notifications and opens the conversation behind one. It keeps no pages: what the console shows is true now or not at all.
"use strict";
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("notificationclick", (event) => {
	event.notification.close();
	const link = new URL(event.notification.data?.link ?? "/chats", location.origin);
	if (link.origin !== location.origin) return;
	event.waitUntil(clients.matchAll({ type: "window" }).then((open) => {
		const page = open.find((client) => new URL(client.url).pathname === link.pathname) ?? open.find((client) => new URL(client.url).pathname.startsWith("/chats"));
		return page ? page.focus().then((focused) => focused.url === link.href ? focused : focused.navigate(link.href)) : clients.openWindow(link.href);
	}));
});

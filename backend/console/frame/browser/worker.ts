// Shows notifications and opens the conversation behind one. It keeps no pages: what the console shows is true now or not at all.

declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const link = new URL(event.notification.data?.link ?? '/chats', self.location.origin);
  if (link.origin === self.location.origin) {
    event.waitUntil(open(link));
  }
});

/** Shows the page in a tab that is open, or in a new one. */
async function open(link: URL): Promise<unknown> {
  const tabs = await self.clients.matchAll({ type: 'window' });
  const at = (is: (path: string) => boolean): WindowClient | undefined => tabs.find((tab) => is(new URL(tab.url).pathname));
  const tab = at((path) => path === link.pathname) ?? at((path) => path.startsWith('/chats'));
  if (!tab) {
    return self.clients.openWindow(link.href);
  }
  const focused = await tab.focus();
  return focused.url === link.href ? focused : focused.navigate(link.href);
}

export {};

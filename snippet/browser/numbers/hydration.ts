/** What pages have that a framework takes over in the browser: its roots and data, which are found by their ids, and its assets. */
const ids = '__next __nuxt ___gatsby root app svelte q-app __NEXT_DATA__ __NUXT_DATA__'.split(' ');
const signs =
  'app-root,astro-island,[data-reactroot],[data-server-rendered],[data-svelte-h],[data-hk],[ng-server-context],[q\\:container],' +
  ['/_next/', '/_nuxt/', '/_app/immutable/', '/assets/manifest-', '/assets/entry.client-']
    .map((path) => `script[src*="${path}"],link[href*="${path}"]`)
    .join();

/** Whether a framework may be about to compare the page with its own data. */
export function isHydrating(page: Document): boolean {
  return ids.some((id) => page.getElementById(id)) || page.querySelector(signs) !== null;
}

/** Calls `run` when the page has nothing else to do, and soon in any case. */
export function idle(run: () => void, timeout = 200): void {
  if (typeof requestIdleCallback === 'function') {
    requestIdleCallback(run, { timeout });
  } else {
    setTimeout(run);
  }
}

/** Calls `done` when the scripts of a page that has loaded have come to rest. The first idle time may be one that a framework waits for as well. */
export function rest(done: () => void): void {
  idle(() => idle(done, 2000), 2000);
}

/** Calls `done` when the page has loaded and its scripts have come to rest: what is hydrated is hydrated then. */
export function settled(done: () => void): void {
  if (document.readyState === 'complete') {
    rest(done);
  } else {
    addEventListener('load', () => rest(done));
  }
}

import { idle } from './idle';

/** What pages have that a framework takes over in the browser: its roots and data, which are found by their ids, and its assets. */
const ids = '__next __nuxt ___gatsby root app svelte q-app __NEXT_DATA__ __NUXT_DATA__'.split(' ');
const signs =
  'app-root,astro-island,[data-reactroot],[data-server-rendered],[data-svelte-h],[data-hk],[ng-server-context],[q\\:container],' +
  ['/_next/', '/_nuxt/', '/_app/immutable/']
    .map((path) => `script[src*="${path}"],link[href*="${path}"]`)
    .join();

/** Others tell it in the page's global names alone. */
const globals = /^__(sveltekit|reactRouter|remix)/;

/** Whether a framework may be about to compare the page with its own data. */
export function isHydrating(page: Document): boolean {
  return (
    ids.some((id) => page.getElementById(id)) || page.querySelector(signs) !== null || Object.keys(page.defaultView!).some((name) => globals.test(name))
  );
}

/** Milliseconds in which a page at rest loads nothing, and how often that is waited for. */
const quiet = 200;
const attempts = 15;

/**
 * Calls `done` when a page that has loaded has come to rest, and after some seconds in any case: frameworks go on to load their code. The
 * first idle time may be one that they wait for as well.
 */
export function rest(done: () => void, page: Window = window, left = attempts): void {
  const loaded = (): number => page.performance.getEntriesByType('resource').length;
  const before = loaded();
  setTimeout(() => idle(() => (left && loaded() > before ? rest(done, page, left - 1) : idle(done, 2000)), 2000), quiet);
}

/** Calls `done` when the page has loaded and come to rest: what is hydrated is hydrated then. */
export function settled(done: () => void): void {
  if (document.readyState === 'complete') {
    rest(done);
  } else {
    addEventListener('load', () => rest(done));
  }
}

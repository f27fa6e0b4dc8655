/** What pages have that a framework takes over in the browser: its roots, its data, its assets. */
const signs =
  '#__next,#__nuxt,#___gatsby,#root,#app,#svelte,#q-app,app-root,astro-island,[data-reactroot],[data-server-rendered],[data-svelte-h],[data-hk],[ng-server-context],[q\\:container],#__NEXT_DATA__,#__NUXT_DATA__,' +
  ['/_next/', '/_nuxt/', '/_app/immutable/', '/assets/manifest-', '/assets/entry.client-'].map((path) => `[src*="${path}"],[href*="${path}"]`).join();

/** Whether a framework may be about to compare the page with its own data. */
export function isHydrating(): boolean {
  return document.querySelector(signs) !== null;
}

/** Calls `done` when the page has loaded and its scripts have come to rest: what is hydrated is hydrated then. */
export function settled(done: () => void): void {
  const idle = (run: () => void): unknown =>
    typeof requestIdleCallback === 'function' ? requestIdleCallback(run, { timeout: 2000 }) : setTimeout(run, 200);
  // The first idle time may be one that a framework waits for as well.
  const rest = (): unknown => idle(() => idle(done));
  if (document.readyState === 'complete') {
    rest();
  } else {
    addEventListener('load', rest);
  }
}

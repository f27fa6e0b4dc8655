/** Calls `run` when the page has nothing else to do, and soon in any case. */
export function idle(run: () => void, timeout = 200): void {
  if (typeof requestIdleCallback === 'function') {
    requestIdleCallback(run, { timeout });
  } else {
    setTimeout(run);
  }
}

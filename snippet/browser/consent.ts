import { config } from './config';
import { ended } from './page';
import { each } from './text';

/** Whether the visitor has agreed, as the site's own cookie says. The value is compared as it is written, not decoded. */
export function consented(): boolean {
  const { consent } = config;
  if (!consent) {
    return true;
  }
  const wanted = new RegExp(consent.value);
  let found = false;
  each(document.cookie.split('; '), (cookie) => {
    const end = cookie.indexOf('=');
    found = found || (cookie.slice(0, end) === consent.cookie && wanted.test(cookie.slice(end + 1)));
  });
  return found;
}

/**
 * Calls `agreed` once, when consent is there or the run is over. Where cookies
 * tell of their changes nothing is polled; elsewhere (plain HTTP, older browsers) once a second.
 */
export function awaitConsent(agreed: () => void): void {
  const store = (window as unknown as { cookieStore?: EventTarget }).cookieStore;
  const check = (): void => {
    if (ended || consented()) {
      if (store) {
        store.removeEventListener('change', check);
      }
      clearInterval(timer);
      agreed();
    }
  };
  const timer = store ? 0 : setInterval(check, 1000);
  if (store) {
    store.addEventListener('change', check);
  }
}

import { previous } from './page';
import { blockOf, each, text } from './text';

/**
 * The service answers beside the script, so the script's own address says where. Code that fetches the
 * script and evaluates it leaves no element with an address; the browser remembers what was fetched.
 */
const element = document.currentScript as HTMLScriptElement | null;
let source = element && element.src;
if (!source) {
  each(performance.getEntriesByType('resource'), ({ name }) => {
    source = source || (/\/svc\.js(\?|$)/.test(name) && name) || '';
  });
}

/** The prefix of the service, with the slash at its end. Empty when it cannot be known: then there is no key either. */
export const base = source ? new URL('.', source).href : '';

/** The visit, where the page was sent with it: fields of the answer to a page view, as far as they were known, and the id of the view. */
export const served = blockOf('-visit');

/** The site's key. Empty when nothing has named it yet: then nothing is sent. */
export let key = '';

/**
 * The other settings that the page has queued, by the name of their command. `setCsHost` and `setHost`
 * are kept with them and followed by nobody: they name the host that the site was written for.
 */
export const settings: Record<string, unknown> = Object.create(null);

/** Whether the command is a setting, as all are that set something but a property; it is remembered then. The first account counts. */
export function configure(name: string, value: unknown): boolean {
  if (!/^(set[^P]|disable)/.test(name)) {
    return false;
  }
  if (/^set(Cs)?Account$/.test(name)) {
    key = key || text(value).trim();
  } else {
    settings[name] = value;
  }
  return true;
}

/** To be called when the queue has been read: an account by other means than the queue. */
export function settle(): void {
  key = source ? key || new URL(source).searchParams.get('k') || (previous ? previous.key : '') : '';
}

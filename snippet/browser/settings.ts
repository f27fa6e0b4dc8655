import { previous } from './page';
import { text } from './text';

/**
 * The service answers beside the script, so the script's own address says where. Code that evaluates
 * the script instead of loading it leaves no current script; then its element is looked for.
 */
const own = document.currentScript as HTMLScriptElement | null;
const source =
  (own && own.src) ||
  (document.querySelector<HTMLScriptElement>('script[src*="/svc.js"]') || { src: location.href }).src;

const address = new URL(source);

/** The prefix of the service, with the slash at its end. */
export const base = new URL('.', address).href;

/** The site's key. Empty when nothing has named it yet: then nothing is sent. */
export let key = '';

/**
 * The other settings that the page has queued, by the name of their command. `setCsHost` and `setHost`
 * are kept with them and followed by nobody: they name the host that the site was written for.
 */
export const settings: Record<string, unknown> = Object.create(null);

const names = /^(set(Cs)?(Account|Host)|disableWidgets|setDynamicalReplacement|setUIPhoneMaskFormat)$/;

/** Whether the command is a setting; it is remembered then. The first account that is named counts. */
export function configure(name: string, value: unknown): boolean {
  if (!names.test(name)) {
    return false;
  }
  if (/Account/.test(name)) {
    key = key || text(value).trim();
  } else {
    settings[name] = value;
  }
  return true;
}

/** To be called when the queue has been read: an account by other means than the queue. */
export function settle(): void {
  key = key || address.searchParams.get('k') || (previous ? previous.key : '');
}

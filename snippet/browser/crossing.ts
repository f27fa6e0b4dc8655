import { config, globals } from './config';
import { encode } from './text';
import type { View } from './view';

/**
 * Brings the visitor along over links from one domain of the site to another, where the browser does not send the cookie. It runs before
 * the core script, so that this one sees the address without the parameter. The configuration gets its token.
 */
const parameter = 'svc_crossing';

/** Milliseconds for which a token is put into links: the service takes it a little longer. */
const fresh = 50_000;

const script = document.currentScript as HTMLScriptElement | null;
const base = (script && script.src && new URL('.', script.src).href) || '';
const service = base && new URL(base).hostname;
const domains = config.domains!.split(' ');

/** The place of a host's domain among those of the site, -1 for a host that is not the site's. */
function domainOf(host: string): number {
  const name = host.replace(/^www\./, '');
  const parent = '*' + name.slice(name.indexOf('.'));
  for (let i = 0; i < domains.length; i++) {
    const hosts = ',' + domains[i] + ',';
    if (hosts.indexOf(',' + name + ',') >= 0 || hosts.indexOf(',' + parent + ',') >= 0) {
      return i;
    }
  }
  return -1;
}

/** The address without the parameter, before its fragment. */
function without(address: string): string {
  const end = (address + '#').indexOf('#');
  const query = new RegExp('([?&])' + parameter + '=[^&]*&?', 'g');
  return address.slice(0, end).replace(query, '$1').replace(/[?&]$/, '') + address.slice(end);
}

/** Whether the browser follows the link, in this tab, to another domain of the site. The service's own host is the site's, too. */
function crosses({ hostname, protocol, target }: HTMLAnchorElement | HTMLAreaElement): boolean {
  if (!/^https?:$/.test(protocol) || !/^(_self)?$/i.test(target) || hostname === location.hostname) {
    return false; // A link in a drawing has no protocol.
  }
  const there = domainOf(hostname);
  return there < 0 ? hostname === service : there !== domainOf(location.hostname);
}

/** The link that an event is about, if it crosses. Links in open shadow roots are found, too. */
function linkOf(event: Event): HTMLAnchorElement | undefined {
  const at = event.composedPath()[0] as Element;
  const link = at.closest && (at.closest('a[href],area[href]') as HTMLAnchorElement);
  return link && crosses(link) ? link : undefined;
}

let token = '';
let asked = 0;

/** Asks for a token, unless there is a fresh one. */
async function ask(): Promise<void> {
  const now = Date.now();
  const { run } = globals[Symbol.for('svc:' + config.objects[0])];
  const view: View | undefined = run && run.view;
  if (now - asked < fresh || !view || !view.credentials) {
    return;
  }
  token = '';
  asked = now;
  try {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(base + 'v1/crossing', { method: 'POST', headers, body: encode(view.keys), credentials: 'include' });
    token = (await answer.json()).crossing || '';
  } catch {
    asked = 0; // The next time counts.
  }
}

/**
 * The link has the token only while the browser follows it: what people copy, and what the page reads, is the site's own address. What the
 * page opens itself is left alone.
 */
function follow(event: MouseEvent): void {
  const link = linkOf(event);
  if (!link || event.defaultPrevented || event.button > 1 || link.hasAttribute('download')) {
    return;
  }
  const written = link.getAttribute('href')!;
  const plain = without(link.href);
  const end = (plain + '#').indexOf('#');
  const bearing = token && Date.now() - asked < fresh ? (plain.slice(0, end).indexOf('?') < 0 ? '?' : '&') + parameter + '=' + token : '';
  const address = plain.slice(0, end) + bearing + plain.slice(end);
  token = '';
  asked = 0;
  link.setAttribute('href', address);
  setTimeout(() => {
    if (link.getAttribute('href') === address) {
      link.setAttribute('href', written);
    }
  });
}

const found = new RegExp('[?&]' + parameter + '=([\\w.-]*)').exec(location.search);
if (found) {
  config.crossing = found[1];
  try {
    history.replaceState(history.state, '', without(location.href));
  } catch {
    // Pages in a sandbox may not.
  }
}
if (base) {
  // A token is to be there when a link is followed. A finger comes to a link and follows it at once: so any touch of the page counts.
  const near = (event: Event): void => {
    let link: unknown = linkOf(event);
    for (let i = 0; !link && (event as PointerEvent).pointerType === 'touch' && i < document.links.length; i++) {
      link = crosses(document.links[i]);
    }
    if (link) {
      ask();
    }
  };
  addEventListener('pointerover', near, true);
  addEventListener('focusin', near, true);
  addEventListener('click', follow);
  addEventListener('auxclick', follow);
}

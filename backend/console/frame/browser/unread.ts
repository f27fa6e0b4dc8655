import { around, byId, inside, write } from './events';
import { counted, language, words } from './times';

// Leads that have come and are not read yet. How many there are is the server's to know, for all browsers of the operator. It
// tells when some have been read; those that arrive are counted here.

const title = document.title;
const badge = document.getElementById('unread');
let unread = Number(badge?.dataset.count) || 0;

// The title counts the conversations, too, that call for the operator.
let calling = Number(document.getElementById('chatting')?.dataset.count ?? 0);

const upTo99 = (count: number): string => (count > 99 ? '99+' : String(count));

function tellTitle(): void {
  document.title = unread + calling ? `(${upTo99(unread + calling)}) ${title}` : title;
}

document.addEventListener('calling', ({ detail }) => {
  calling = detail;
  tellTitle();
});

export function tellUnread(count: number): void {
  unread = count;
  tellTitle();
  if (badge) {
    badge.hidden = !count;
    write(badge, upTo99(count));
  }
}

export function addUnread(count: number): void {
  tellUnread(unread + count);
}

/** The list of leads. Those who look at it have read it. */
export const listed = document.querySelector<HTMLElement>('[data-read]');
let reading: ReturnType<typeof setTimeout>;

/** Tells the server that what the list shows is read, when somebody looks at it. */
export function read(): void {
  if (listed && unread && document.visibilityState === 'visible') {
    clearTimeout(reading);
    const body = new URLSearchParams({ site: listed.dataset.read! });
    reading = setTimeout(() => fetch('/leads/read', { method: 'POST', body }).catch(() => {}), 500);
  }
}

// A burst is told as what it is, under its latest lead.
const plural = new Intl.PluralRules(language);
let burst = 0;

export function announce(target: Element, fragment: DocumentFragment): void {
  const arrived = fragment.querySelectorAll('[data-arrived]').length;
  addUnread(arrived);
  burst += arrived;
  while (fragment.children.length > 1) {
    fragment.lastElementChild!.remove();
  }
  if (burst > 1) {
    write(inside(fragment, '[data-arrivals]'), counted(words.arrivals[plural.select(burst)], burst));
    inside<HTMLAnchorElement>(fragment, 'a').href = '/leads';
  }
  target.replaceChildren(fragment);
}

document.addEventListener('click', (event) => {
  if (around(event, '[data-dismiss]')) {
    burst = 0;
    byId('arrivals').replaceChildren();
  }
});

tellUnread(unread);

import { around, byId, inside, parsed, tellRedrawn } from './events';

// A page is left only for another one that is there: what fails is said where it was asked for, and what was typed stays.

const root = document.documentElement;
const texts = inside<HTMLMetaElement>(document, 'meta[name=leaving]').dataset;

/** How long an answer is waited for, in milliseconds. */
const patience = 15000;

function ask(address: string, options: RequestInit): Promise<Response | null> {
  return fetch(address, { ...options, signal: AbortSignal.timeout(patience) }).catch(() => null);
}

// ---- what has failed, beside it ----

let said: HTMLElement | undefined;

function hush(): void {
  said?.remove();
  said = undefined;
}

function say(element: Element, text = ''): void {
  hush();
  said = document.createElement('p');
  said.className = 'failed';
  said.setAttribute('role', 'alert');
  said.textContent = text;
  document.body.append(said);
  const at = element.getBoundingClientRect();
  const own = said.getBoundingClientRect();
  const below = at.bottom + 8 + own.height < innerHeight;
  said.style.top = Math.max(8, below ? at.bottom + 8 : at.top - 8 - own.height) + 'px';
  said.style.left = Math.max(8, Math.min(at.left, innerWidth - own.width - 8)) + 'px';
}

document.addEventListener('complain', ({ detail }) => say(detail.element, detail.text || texts.unsent));
document.addEventListener('pointerdown', hush);
document.addEventListener('keydown', hush);
addEventListener('scroll', hush, { passive: true });

function busy(element: Element | null, is: boolean): void {
  if (is) {
    element?.setAttribute('aria-busy', 'true');
  } else {
    element?.removeAttribute('aria-busy');
  }
}

// ---- links ----

/** Calls go when the server is there. While the page's stream is open, it is. */
async function goes(element: HTMLElement, go: () => void): Promise<void> {
  if (root.dataset.stream === 'live') {
    return go();
  }
  busy(element, true);
  const answer = await ask(texts.probe!, { method: 'HEAD', cache: 'no-store' });
  busy(element, false);
  if (answer?.ok) {
    return go();
  }
  if (element instanceof HTMLFormElement) {
    element.reset(); // what it chooses is what the page shows
  }
  say(element, texts.lost);
}

document.addEventListener('click', (event) => {
  const link = around(event, 'a[href]') as HTMLAnchorElement | null;
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
    return;
  }
  if (link.target || link.origin !== location.origin || link.getAttribute('href')!.startsWith('#') || root.dataset.stream === 'live') {
    return;
  }
  event.preventDefault();
  goes(link, () => location.assign(link.href));
});

// ---- settings that are not saved ----

let unsaved = false;

document.addEventListener('input', (event) => {
  unsaved ||= (event.target as Element).closest('[data-settings]') !== null;
});
addEventListener('beforeunload', (event) => {
  if (unsaved) {
    event.preventDefault(); // the browser asks, in its own words
  }
});

// ---- forms ----

/** What the form sends, and the button by which it is sent. */
function contentOf(form: HTMLFormElement, submitter: HTMLElement | null): URLSearchParams | FormData {
  if (form.enctype === 'multipart/form-data') {
    return new FormData(form);
  }
  const content = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
  if (submitter instanceof HTMLButtonElement && submitter.name) {
    content.set(submitter.name, submitter.value);
  }
  return content;
}

document.addEventListener('submit', async (event) => {
  const form = event.target as HTMLFormElement;
  const button = event.submitter ?? form.querySelector('button');
  if (event.defaultPrevented || form.matches('[data-downloads]')) {
    return;
  }
  event.preventDefault();
  if (form.method !== 'post') {
    return goes(form, () => form.submit());
  }
  const body = contentOf(form, event.submitter);
  unsaved ||= body.has('do') && form.matches('[data-settings]'); // a row more or less
  busy(button, true);
  const answer = await ask(form.action, { method: 'POST', body, headers: { 'Console-Form': 'in the page' } });
  const html = await answer?.text().catch(() => '');
  const to = answer?.headers.get('Console-Location');
  if (to) {
    unsaved &&= !form.matches('[data-settings]');
    return location.assign(to);
  }
  busy(button, false);
  const fresh = parsed(html || '');
  if (answer?.headers.has('Console-Part')) {
    return form.replaceWith(...fresh.body.childNodes);
  }
  const main = fresh.querySelector('main');
  if (!answer || !main || answer.status >= 500) {
    return say(button ?? form, answer ? fresh.querySelector('h1')?.textContent || texts.failed : texts.unsent);
  }
  byId('main').replaceWith(main);
  unsaved &&= !main.querySelector('.notice'); // it says that all is saved
  document.title = fresh.title;
  (main.querySelector<HTMLElement>('[autofocus]') ?? main.querySelector('.problem')?.nextElementSibling?.querySelector('input'))?.focus();
  tellRedrawn();
});

// ---- a page that could not be shown ----

const again = document.querySelector<HTMLAnchorElement>('a[data-again]');
if (again) {
  setInterval(async () => {
    const answer = await ask(again.href, { method: 'HEAD', cache: 'no-store' });
    if (answer?.ok) {
      location.replace(again.href);
    }
  }, 5000);
}

import { around, byId, inside, parsed } from '../../frame/browser/events';
import { tellTimes } from '../../frame/browser/times';

// The search over everything, which a key opens on every page.

const pause = 200; // milliseconds behind the last letter

function prepare(dialog: HTMLDialogElement): void {
  const form = inside<HTMLFormElement>(dialog, 'form');
  const field = inside<HTMLInputElement>(form, 'input');
  const found = byId('looked-up');
  let late: ReturnType<typeof setTimeout> | undefined;
  let asked: AbortController | undefined;

  const links = (): HTMLElement[] => [...found.querySelectorAll<HTMLElement>('a')];

  async function look(): Promise<void> {
    asked?.abort();
    asked = new AbortController();
    try {
      const answer = await fetch('/lookup?' + new URLSearchParams({ q: field.value }), { headers: { 'Console-Look': 'in the dialog' }, signal: asked.signal });
      if (answer.redirected) {
        return location.reload(); // signed out
      }
      const results = parsed(await answer.text()).getElementById('found');
      const at = links().indexOf(document.activeElement as HTMLElement);
      found.replaceChildren(...(results?.childNodes ?? []));
      if (at >= 0) {
        (links()[at] ?? field).focus(); // the keys go on where they were
      }
      tellTimes(found);
    } catch {
      // Another search has begun, or the form still leads to a page of its own.
    }
  }

  function open(): void {
    dialog.showModal();
    field.select();
  }

  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && (event.key.toLowerCase() === 'k' || event.code === 'KeyK')) {
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) {
        open();
      }
    }
  });
  document.addEventListener('click', (event) => {
    if (around(event, '[data-lookup]') && !(event as MouseEvent).ctrlKey && !(event as MouseEvent).metaKey) {
      event.preventDefault();
      open();
    }
  });
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  field.addEventListener('input', () => {
    clearTimeout(late);
    late = setTimeout(look, pause);
  });
  form.addEventListener('submit', (event) => {
    const first = links()[0];
    if (first) {
      event.preventDefault();
      first.click();
    }
  });
  dialog.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) {
      return;
    }
    event.preventDefault();
    const all = links();
    const at = all.indexOf(document.activeElement as HTMLElement) + step;
    (at < 0 ? field : (all[Math.min(at, all.length - 1)] ?? field)).focus();
  });
}

const dialog = document.querySelector<HTMLDialogElement>('#lookup');
if (dialog) {
  prepare(dialog);
}

import { around, complain, inside, parsed } from '../../frame/browser/events';
import { areOff, listen, turn } from '../../frame/browser/letters';

// The keys of the inbox: leads are gone through, taken and finished without a mouse.

const list = document.querySelector<HTMLElement>('[data-keys]');

/** The form of filters has an address of what is chosen. */
function prepareFilters(form: HTMLFormElement): void {
  const zone = form.querySelector<HTMLInputElement>('[data-zone]');
  if (zone) {
    zone.value = String(new Date().getTimezoneOffset());
  }
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of [...formData]) {
      if (!value) {
        formData.delete(name);
      }
    }
    if (!formData.has('since') && !formData.has('until')) {
      formData.delete('zone');
    }
  });
}

// ---- rows ----

let last: HTMLElement | null = null;
const rows = (): HTMLElement[] => [...(list?.children ?? [])] as HTMLElement[];

function current(): HTMLElement | null {
  const row = document.activeElement?.closest<HTMLElement>('[data-keys] > li') ?? last;
  return row?.isConnected ? row : null;
}

function choose(row: HTMLElement | undefined): void {
  if (row) {
    last = row;
    inside(row, 'a').focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }
}

function move(step: number): void {
  const all = rows();
  const row = current();
  choose(all[row ? Math.min(all.length - 1, Math.max(0, all.indexOf(row) + step)) : 0]);
}

/** Does something with the lead of the row, which stays where it is. */
async function act(row: HTMLElement, what: string, fields: Record<string, string>): Promise<void> {
  const link = inside(row, 'a');
  if (!row.dataset.lead || row.getAttribute('aria-busy')) {
    return; // it is no lead, or something is being done
  }
  row.setAttribute('aria-busy', 'true');
  const answer = await fetch('/leads/' + what + '/' + row.dataset.lead, {
    method: 'POST',
    headers: { 'Console-Row': 'in the list' },
    body: new URLSearchParams(fields),
    signal: AbortSignal.timeout(15000),
  }).catch(() => null);
  const html = await answer?.text().catch(() => '');
  row.removeAttribute('aria-busy');
  if (answer?.redirected) {
    return location.reload(); // signed out
  }
  const fresh = parsed(html ?? '');
  const found = fresh.querySelector<HTMLElement>('li[data-lead]');
  if (found) {
    document.dispatchEvent(new CustomEvent('rewritten', { detail: found }));
  }
  const problem = fresh.querySelector('.problem')?.textContent;
  if (!found || problem) {
    complain(link, problem ?? undefined);
  }
}

/** Does what the page's own button does, or the row's lead by itself. */
function press(key: string, what: string, fields: () => Record<string, string>): void {
  const button = document.querySelector<HTMLElement>(`main .working [data-key="${key}"]`);
  const row = current();
  if (button) {
    button.click();
  } else if (row) {
    act(row, what, fields());
  }
}

function take(): void {
  const me = list?.dataset.me ?? '';
  const row = current();
  const mine = row ? row.dataset.owner === me : document.querySelector('main .working [data-key=leave]');
  press(mine ? 'leave' : 'take', 'owner', () => (mine ? { from: me, to: '0' } : { from: '0', to: me }));
}

// ---- keys ----

const key = (name: string): HTMLElement | null => document.querySelector<HTMLElement>(`[data-key=${name}]`);

function begin(dialog: HTMLDialogElement): void {
  const filters = document.querySelector<HTMLFormElement>('.finding');
  if (filters) {
    prepareFilters(filters);
  }
  const box = inside<HTMLInputElement>(dialog, '[data-keys-on]');
  box.checked = !areOff();
  box.addEventListener('change', () => turn(box.checked));
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing && !event.defaultPrevented && !dialog.open) {
      around(event, 'input, textarea, select')?.blur();
    }
  });
  const deeds = {
    j: () => move(1),
    k: () => move(-1),
    o: () => current()?.querySelector('a')!.click(),
    t: take,
    d: () => press('done', 'state', () => ({ state: 'done' })),
    s: () => press('spam', 'state', () => ({ state: 'spam' })),
    n: () => key('note')?.focus(),
    u: () => key('back')?.click(),
    '/': () => (key('search') as HTMLInputElement | null)?.select(),
  };
  listen(deeds, dialog, '[data-keys-help]');
}

const dialog = document.getElementById('keys');
if (dialog) {
  begin(dialog as HTMLDialogElement);
}

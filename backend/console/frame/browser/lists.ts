import { around, byId, inside, write } from './events';
import { calmly, rests } from './pointer';
import { counted, tellTimes, words } from './times';
import { addUnread, listed, read } from './unread';

// Rows that arrive do not move what the operator is looking at: they wait, and a button says how many.

/** What waits for a list. */
interface Waiting {
  rows: Map<string, HTMLElement>; // by their ids
  order: string[] | null; // of all rows, where the server has told it
}

const waiting = new Map<HTMLElement, Waiting>();

/** Tells whether the operator looks at the rows of the list, so that none may move. */
function held(list: HTMLElement): boolean {
  return rests(list) || list.getBoundingClientRect().top < -8;
}

function put(list: HTMLElement, row: HTMLElement): boolean {
  const shown = document.getElementById(row.id);
  if (!shown || !list.contains(shown)) {
    return false;
  }
  const focused = shown.contains(document.activeElement);
  shown.replaceWith(row);
  if (focused) {
    row.querySelector('a')?.focus({ preventScroll: true });
  }
  return true;
}

/** Shows what has become of a lead that is on a list already. Who it is from and whether it is read stay. */
function rewrite(row: HTMLElement): void {
  const shown = document.getElementById(row.id) ?? [...waiting.values()].map((state) => state.rows.get(row.id)).find(Boolean);
  if (!shown) {
    return;
  }
  shown.className = row.className;
  shown.dataset.owner = row.dataset.owner;
  inside(shown, '.sale').replaceWith(inside(row, '.sale'));
  if ('merged' in row.dataset) {
    shown.classList.add('gone');
  }
}

document.addEventListener('rewritten', (event) => rewrite(event.detail));

export function merge(list: HTMLElement, fragment: DocumentFragment): void {
  const rows = [...fragment.querySelectorAll<HTMLElement>('li[id]')];
  const order = fragment.querySelector<HTMLElement>('[data-order]')?.dataset.order!.split(' ').filter(Boolean);
  const state: Waiting = waiting.get(list) ?? { rows: new Map(), order: null };
  waiting.set(list, state);
  tellTimes(fragment);
  for (const row of rows.reverse()) {
    if ('changed' in row.dataset) {
      rewrite(row);
    } else if (!put(list, row)) {
      if (list === listed && !state.rows.has(row.id)) {
        addUnread(1);
      }
      state.rows.delete(row.id);
      state.rows.set(row.id, row);
    }
  }
  if (order) {
    state.order = order;
    const present = new Set(order);
    for (const id of state.rows.keys()) {
      if (!present.has(id)) {
        state.rows.delete(id);
      }
    }
    for (const row of list.children) {
      row.classList.toggle('gone', !present.has(row.id));
    }
  }
  settle(list);
}

/** Lets the waiting rows in, unless the operator looks at the list. */
function settle(list: HTMLElement, looked = held(list)): void {
  const state = waiting.get(list);
  if (!state) {
    return;
  }
  if (!looked) {
    enter(list, state);
  }
  const button = document.querySelector<HTMLElement>(`[data-waiting="${list.id}"]`);
  if (button) {
    button.hidden = state.rows.size === 0;
    if (!button.hidden) {
      write(inside(button, '[data-count]'), counted(words.waiting, state.rows.size));
    }
  }
  readListed();
}

function enter(list: HTMLElement, state: Waiting): void {
  const fresh = [...state.rows.values()];
  list.prepend(...fresh.reverse());
  state.rows.clear();
  for (const row of list.querySelectorAll(':scope > .gone')) {
    row.remove();
  }
  const rows = state.order?.map((id) => document.getElementById(id)).filter((row) => row !== null && list.contains(row)) as HTMLElement[] | undefined;
  if (rows?.some((row, i) => list.children[i] !== row)) {
    list.append(...rows);
  }
  const most = Number(list.dataset.most);
  while (most && list.children.length > most) {
    list.lastElementChild!.remove();
  }
  for (const row of fresh) {
    row.classList.add('fresh');
  }
}

/** What waits has not been looked at. */
function readListed(): void {
  if (!listed || !waiting.get(listed)?.rows.size) {
    read();
  }
}

document.addEventListener('click', (event) => {
  const button = around(event, '[data-waiting]');
  if (button) {
    const list = byId(button.dataset.waiting!);
    settle(list, false);
    scrollTo({ top: 0, behavior: calmly() });
    list.querySelector('a')?.focus({ preventScroll: true });
  }
});

const later = (): unknown => setTimeout(() => waiting.forEach((_, list) => settle(list)), 300);
document.addEventListener('pointerout', (event) => around(event, '[data-live]') && later());
document.addEventListener('focusout', (event) => around(event, '[data-live]') && later());
document.addEventListener('scroll', later, { passive: true });
document.addEventListener('visibilitychange', readListed);

readListed();
for (const list of document.querySelectorAll('[data-live]')) {
  list.classList.add('live');
}

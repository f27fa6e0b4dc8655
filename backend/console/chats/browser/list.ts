import { around, byId, inside, tellRedrawn } from '../../frame/browser/events';
import { rests } from '../../frame/browser/pointer';

// The list of conversations. Rows come and go by the stream, and wait while somebody points at the list.

const list = byId('chats');
const tab = list.dataset.tab!;
const late = new Map<string, HTMLElement>();
const rows = (): HTMLElement[] => [...list.children] as HTMLElement[];
const belongs = (row: HTMLElement): boolean => row.dataset.in!.split(' ').includes(tab);

function put(row: HTMLElement): void {
  const shown = document.getElementById(row.id);
  const open = shown?.classList.contains('open');
  if (!belongs(row) && !open) {
    return shown?.remove();
  }
  if (open) {
    row.classList.add('open');
    inside(row, 'a').setAttribute('aria-current', 'true');
  }
  if (!shown) {
    return list.prepend(row);
  }
  const focused = shown.contains(document.activeElement);
  shown.replaceWith(row);
  if (focused) {
    inside(row, 'a').focus({ preventScroll: true });
  }
}

function settle(): void {
  if (rests(list)) {
    return;
  }
  late.forEach(put);
  late.clear();
  const now = rows();
  const sorted = now.toSorted((a, b) => Number(b.dataset.last) - Number(a.dataset.last));
  if (now.some((row, i) => row !== sorted[i])) {
    list.append(...sorted);
  }
}

list.addEventListener('told', ({ detail }) => {
  if (tab === 'found') {
    return; // what was searched stays as it was found
  }
  for (const row of detail.querySelectorAll<HTMLElement>('li[id]')) {
    if (document.getElementById(row.id) && belongs(row)) {
      put(row);
    } else {
      late.set(row.id, row);
    }
  }
  settle();
  tellRedrawn();
});
list.addEventListener('pointerleave', () => setTimeout(settle, 300));
list.addEventListener('focusout', () => setTimeout(settle, 300));
list.addEventListener(
  'click',
  (event) => {
    const link = around(event, 'a') as HTMLAnchorElement | null;
    if (link && tab !== 'all' && tab !== 'found') {
      link.search = 'tab=' + tab; // which stays chosen
    }
  },
  { capture: true },
);

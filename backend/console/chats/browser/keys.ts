import { byId, inside } from '../../frame/browser/events';
import { listen } from '../../frame/browser/letters';

// The keys of the page of conversations.

const list = byId('chats');
const press = (selector: string): void => document.querySelector<HTMLElement>(selector)?.click();
const row = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>('#chats > li') ?? null;
const answer = (): HTMLTextAreaElement | null => document.querySelector<HTMLTextAreaElement>('#answer');

function move(step: number): void {
  const rows = [...list.children];
  const from = row() ?? list.querySelector(':scope > .open');
  const to = rows[from ? Math.min(rows.length - 1, Math.max(0, rows.indexOf(from) + step)) : 0];
  if (to) {
    inside(to, 'a').focus();
  }
}

/** Offers the canned replies. */
function offer(): void {
  const box = answer();
  box?.focus();
  if (box && !box.value) {
    box.value = '/';
    box.dispatchEvent(new Event('input'));
  }
}

const deeds = {
  j: () => move(1),
  k: () => move(-1),
  o: () => row()?.querySelector('a')!.click(),
  c: () => press('#working [data-do=claim]'),
  e: () => press('#working [data-do=close]'),
  r: () => answer()?.focus(),
  n: () => press('[data-note]'),
  u: () => press('[data-back]'),
  '/': offer,
};

listen(deeds, byId<HTMLDialogElement>('chat-keys'), '[data-chat-keys]');

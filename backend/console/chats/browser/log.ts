import { byId, complain, inside, parsed, tellRedrawn, write } from '../../frame/browser/events';
import { calmly } from '../../frame/browser/pointer';
import type { Conversation } from './conversation';

/** What was said in a conversation, in order, and how far each side has read. */
export interface Log {
  element: HTMLElement;
  /** Shows the end. */
  goDown(behavior?: ScrollBehavior): void;
  /** Takes in entries that the server has told of. */
  take(fresh: Iterable<HTMLElement>): void;
  /** Writes days and what has been read. */
  finish(): void;
}

const entriesOf = (within: ParentNode): HTMLElement[] => [...within.querySelectorAll<HTMLElement>('li[data-seq]')];
const seqOf = (entry: HTMLElement | undefined): number => Number(entry?.dataset.seq ?? 0);

export function logOf({ at, element: conversation, texts }: Conversation): Log {
  const said = byId('said');
  const scroller = byId('scroll');
  const typing = byId('typing');
  const down = inside(conversation, '[data-down]');
  const day = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: 'long', day: 'numeric', month: 'long' });
  const entries = (): HTMLElement[] => [...said.querySelectorAll<HTMLElement>(':scope > li[data-seq]')];
  const has = (seq: number): boolean => said.querySelector(`:scope > li[data-seq="${seq}"]`) !== null;
  const low = (): boolean => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
  let visitorRead = Number(said.dataset.read);
  let operatorRead = Number(said.dataset.operatorRead);

  function goDown(behavior: ScrollBehavior = 'auto'): void {
    scroller.scrollTo({ top: scroller.scrollHeight, behavior });
    down.hidden = true;
  }

  /** Puts the entry in its place by its number. What was sent from here takes the place of what waited. */
  function enter(entry: HTMLElement): boolean {
    const seq = seqOf(entry);
    const waits = [...said.querySelectorAll<HTMLElement>(':scope > li.waits')];
    waits.find((one) => one.dataset.client === entry.dataset.client)?.remove();
    if (has(seq)) {
      return false;
    }
    said.insertBefore(entry, entries().find((one) => seqOf(one) > seq) ?? said.querySelector(':scope > li.waits'));
    return true;
  }

  /** Leaves one line above the entries of each day. */
  function writeDays(): void {
    let shown = '';
    for (const entry of entries()) {
      const date = new Date(inside<HTMLTimeElement>(entry, 'time').dateTime);
      const text = day.format(date);
      let line = entry.previousElementSibling?.closest('.day');
      if (text === shown) {
        line?.remove();
        continue;
      }
      shown = text;
      if (!line) {
        line = Object.assign(document.createElement('li'), { className: 'day' });
        said.insertBefore(line, entry);
      }
      write(line, new Date().toDateString() === date.toDateString() ? texts.today : text);
    }
  }

  function finish(): void {
    writeDays();
    const own = entries().findLast((entry) => entry.classList.contains('operator'));
    let mark = said.querySelector('.delivered');
    if (mark && !own?.contains(mark)) {
      mark.remove();
      mark = null;
    }
    if (own) {
      mark ??= inside(own, '.when').appendChild(Object.assign(document.createElement('span'), { className: 'delivered' }));
      write(mark, ' · ' + (seqOf(own) <= visitorRead ? texts.seen : texts.sent));
    }
    tellRedrawn();
    read();
  }

  function take(fresh: Iterable<HTMLElement>): void {
    const wasLow = low();
    let grown = false;
    for (const entry of fresh) {
      grown = enter(entry) || grown;
      if (entry.classList.contains('visitor')) {
        typing.hidden = true;
      }
    }
    finish();
    if (wasLow) {
      goDown();
    } else if (grown) {
      down.hidden = false;
    }
  }

  /** Asks for entries, such as "after=7". */
  async function ask(which: string): Promise<HTMLElement[] | null> {
    const answer = await fetch(`${at}/messages?${which}`).catch(() => null);
    return answer?.ok && !answer.redirected ? entriesOf(parsed(await answer.text().catch(() => ''))) : null;
  }

  let filling = false;

  /** Asks for what is missing behind an entry. */
  async function fill(after: number): Promise<void> {
    if (filling) {
      return;
    }
    filling = true;
    const fresh = await ask('after=' + after);
    filling = false;
    if (!fresh) {
      return;
    }
    take(fresh);
    const end = seqOf(fresh.at(-1)); // an answer has as many as fit into it
    if (end && end < seqOf(entries().at(-1)) && !has(end + 1)) {
      fill(end);
    }
  }

  said.addEventListener('told', ({ detail }) => {
    const { read: theirs, operatorRead: ours } = inside(detail, '[data-read]').dataset;
    visitorRead = Math.max(visitorRead, Number(theirs));
    operatorRead = Number(ours); // it goes back when the conversation is handed over
    const fresh = entriesOf(detail);
    const known = seqOf(entries().at(-1));
    take(fresh);
    if (fresh.length && known && seqOf(fresh[0]) > known + 1) {
      fill(known);
    }
  });

  const earlier = conversation.querySelector('[data-earlier]');
  earlier?.addEventListener('click', async () => {
    const fresh = await ask('before=' + seqOf(entries()[0]));
    if (!fresh) {
      return complain(earlier);
    }
    const from = scroller.scrollHeight - scroller.scrollTop;
    fresh.forEach(enter);
    finish();
    scroller.scrollTop = scroller.scrollHeight - from;
    if (seqOf(fresh[0]) <= 1) {
      earlier.remove();
    }
  });

  // ---- reading ----

  let reading: ReturnType<typeof setTimeout>;

  /** Tells the server how far the operator has read, when somebody looks at the end. */
  function read(): void {
    if (document.visibilityState !== 'visible' || !document.hasFocus() || !low()) {
      return;
    }
    const seq = seqOf(entries().findLast((entry) => entry.classList.contains('visitor')));
    if (seq <= operatorRead) {
      return;
    }
    clearTimeout(reading);
    reading = setTimeout(async () => {
      const answer = await fetch(at + '/read', { method: 'POST', body: new URLSearchParams({ seq: String(seq) }) }).catch(() => null);
      if (answer?.ok && !answer.redirected) {
        operatorRead = Math.max(operatorRead, seq);
      }
    }, 250);
  }

  scroller.addEventListener(
    'scroll',
    () => {
      if (low()) {
        down.hidden = true;
      }
      read();
    },
    { passive: true },
  );
  down.addEventListener('click', () => goDown(calmly()));
  addEventListener('focus', read);
  document.addEventListener('visibilitychange', read);

  // ---- that the visitor types ----

  let stops: ReturnType<typeof setTimeout>;
  typing.addEventListener('told', () => {
    const wasLow = low();
    typing.hidden = false;
    if (wasLow) {
      goDown();
    }
    clearTimeout(stops);
    stops = setTimeout(() => (typing.hidden = true), 5000);
  });

  return { element: said, goDown, take, finish };
}

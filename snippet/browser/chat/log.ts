import { empty } from '../panels/dom';
import type { Shell } from '../panels/shell';
import { each } from '../text';
import type { Unsent } from './outbox';
import type { Message } from './conversation';

/** What is shown of the conversation. */
export interface Log {
  element: HTMLElement;
  /** Shows the messages that are not shown yet. `earlier` ones are not announced. */
  add(messages: Message[], earlier?: boolean): void;
  /** Shows what has not arrived, and how far the other side has read. */
  mark(unsent: Unsent[], read: number): void;
  /** Offers what was before; 0 when there is nothing. */
  before(seq: number): void;
  /** The number of the last message that is shown; 0 for none. */
  readonly last: number;
  /** Shows by what the visitor was invited, until there is more. */
  invite(text: string | undefined): void;
  /** Shows the end. */
  down(): void;
  end(): void;
}

/** A message in its place, with the day above it where another day begins. */
interface Line {
  element: HTMLElement;
  day: HTMLElement;
  /** The number of the one above it. */
  above: number;
}

/** A web address in a text, without the sign of punctuation behind it. */
const address = /https?:\/\/[^\s<>"'`\u201c\u201d\u00ab\u00bb]*[^\s<>"'`\u201c\u201d\u00ab\u00bb.,;:!?)\]}]/g;

/** What the conversation is asked for. */
export interface Asked {
  /** The visitor wants the file. */
  download(id: number, name: string): void;
  /** The address of a picture, for some minutes. `again` says that the last one did not do. */
  address(id: number, again: boolean): Promise<string>;
  retry(unsent: Unsent): void;
  /** The visitor gives it up. */
  drop(id: string): void;
  /** What was before the message. */
  before(seq: number): void;
}

export function log(shell: Shell, asked: Asked): Log {
  const { make, texts, language } = shell;
  const welcome = shell.widget.greeting || texts['chat.greeting'];
  const greeting = make('p', { dir: 'auto' }, welcome);
  const earlier = make('button', { type: 'button', class: 'more', hidden: true, click: () => asked.before(first) }, texts['chat.earlier']);
  const waiting = make('div', { class: 'line' });
  const element = make('div', { class: 'log', role: 'log', 'aria-label': texts['chat.title'], 'aria-live': 'off', tabindex: 0 }, make('div', { class: 'msg greeting' }, greeting), earlier, waiting);
  const shown: Record<number, Line> = {};
  let first = 0;
  let last = 0;
  let marked: HTMLElement | undefined;
  /** What `waiting` shows: what has not changed is not made anew, else it is announced again and loses the focus. */
  let drawn = '';
  let count = 0;
  let marks: { seq: number; meta: HTMLElement }[] = [];
  let speaking: ReturnType<typeof setTimeout> | undefined;

  function timeOf(at: number): string {
    return new Date(at).toLocaleTimeString(language, { hour: 'numeric', minute: '2-digit' });
  }

  function dayOf(at: number): string {
    return new Date(at).toLocaleDateString(language, { weekday: 'long', day: 'numeric', month: 'long' });
  }

  /** The text with its addresses as links, without ever becoming markup. */
  function written(text: string): HTMLElement {
    const made = make('p', { dir: 'auto' });
    let end = 0;
    let found: RegExpExecArray | null;
    address.lastIndex = 0;
    while ((found = address.exec(text))) {
      made.appendChild(document.createTextNode(text.slice(end, found.index)));
      made.appendChild(make('a', { href: found[0], target: '_blank', rel: 'noopener noreferrer nofollow' }, found[0]));
      end = address.lastIndex;
    }
    made.appendChild(document.createTextNode(text.slice(end)));
    return made;
  }

  function size(bytes: number): string {
    return bytes < 1e6 ? Math.ceil(bytes / 1e3) + ' kB' : (bytes / 1e6).toFixed(1) + ' MB';
  }

  /** The picture, or what is shown in its place where the page's policy forbids it. */
  function pictured(id: number, name: string, fetched: (event: Event) => void, instead: HTMLElement): HTMLElement {
    const image = make('img', { alt: name, loading: 'lazy', error: failed }) as HTMLImageElement;
    const element = make('p', { class: 'photo' }, make('a', { href: '#', click: fetched }, image));
    let tries = 0;
    async function load(): Promise<void> {
      image.src = await asked.address(id, tries++ > 0);
    }
    function failed(): void {
      if (tries < 2) {
        load();
      } else if (element.parentNode) {
        element.parentNode.replaceChild(instead, element);
      }
    }
    load();
    return element;
  }

  /** The operator's face, which is left out where the page's policy forbids it. */
  function faced(name: string): HTMLElement {
    const image = make('img', { class: 'face', alt: '', src: shell.core.base + 'v1/chat/face/' + name, error: () => (image.hidden = true) });
    return image;
  }

  function made(message: Message): HTMLElement {
    const { from, code, file, at } = message;
    const own = from === 'visitor';
    const text = code ? texts['chat.service.' + code] || '' : message.text;
    const bubble = make('div', { class: 'msg ' + (own ? 'own' : from === 'service' && code ? 'told' : '') });
    const who = own ? texts['chat.you'] : message.operator || texts['chat.operator'];
    bubble.appendChild(make('span', { class: 'unseen' }, code ? '' : who + ': '));
    if (text) {
      bubble.appendChild(written(text));
    }
    if (file) {
      const fetched = (event: Event): void => {
        event.preventDefault();
        asked.download(file.id, file.name);
      };
      const named = make('p', {}, make('a', { href: '#', click: fetched }, file.name), ' ' + size(file.size));
      bubble.appendChild(file.picture ? pictured(file.id, file.name, fetched, named) : named);
    }
    const meta = make('div', { class: 'meta' }, message.face ? faced(message.face) : undefined, own || code ? undefined : message.operator, make('time', { datetime: new Date(at).toISOString() }, timeOf(at)));
    if (!code) {
      bubble.appendChild(meta);
    }
    if (own) {
      marks[marks.length] = { seq: message.seq, meta };
    }
    return bubble;
  }

  function put(message: Message): void {
    const { seq, at } = message;
    if (shown[seq]) {
      return;
    }
    let above = 0;
    let below = 0;
    each(Object.keys(shown), (name) => {
      const other = Number(name);
      above = other < seq && other > above ? other : above;
      below = other > seq && (!below || other < below) ? other : below;
    });
    const day = make('p', { class: 'day' }, dayOf(at));
    const element = make('div', { class: 'line' }, day, made(message));
    shown[seq] = { element, day, above };
    waiting.parentNode!.insertBefore(element, below ? shown[below].element : waiting);
    date(seq);
    if (below) {
      shown[below].above = seq;
      date(below);
    }
    first = first ? Math.min(first, seq) : seq;
    last = Math.max(last, seq);
  }

  /** Shows the day where it is another than above. */
  function date(seq: number): void {
    const { day, above } = shown[seq];
    day.hidden = !!above && shown[above].day.textContent === day.textContent;
  }

  function down(): void {
    element.scrollTop = element.scrollHeight;
  }

  return {
    element,
    get last() {
      return last;
    },
    add(messages, before) {
      const height = element.scrollHeight;
      const top = element.scrollTop;
      const low = height - top - element.clientHeight < 80;
      // Only what is new is announced: not what there was when the panel opened, nor what is fetched from before.
      element.setAttribute('aria-live', before || !last ? 'off' : 'polite');
      each(messages, put);
      // The invitation is the first message now.
      if (last && greeting.textContent !== welcome) {
        greeting.textContent = welcome;
      }
      clearTimeout(speaking);
      speaking = setTimeout(() => element.setAttribute('aria-live', 'polite'), 1000);
      if (before) {
        element.scrollTop = top + element.scrollHeight - height;
      } else if (low) {
        down();
      }
    },
    mark(unsent, read) {
      let now = '';
      each(unsent, ({ id, late, refused }) => (now += id + ' ' + (refused || late) + '\n'));
      if (drawn !== now) {
        drawn = now;
        empty(waiting);
        each(unsent, (one) => {
          const state = one.refused
            ? make('span', { class: 'bad' }, texts['chat.refused.' + one.refused] || texts['chat.refused'])
            : make('span', {}, texts[one.late ? 'chat.late' : 'chat.sending']);
          const button = (text: string, click: () => void): HTMLElement => make('button', { type: 'button', click }, text);
          const meta = make('div', { class: 'meta' }, state);
          if (one.refused) {
            meta.appendChild(button(texts['chat.retry'], () => asked.retry(one)));
            meta.appendChild(button(texts['chat.remove'], () => asked.drop(one.id)));
          }
          waiting.appendChild(make('div', { class: 'msg own' }, one.shown || written(one.text), meta));
        });
      }
      let latest: { seq: number; meta: HTMLElement } | undefined;
      each(marks, (mark) => (latest = !latest || mark.seq > latest.seq ? mark : latest));
      const word = latest && texts[latest.seq <= read ? 'chat.read' : 'chat.sent'];
      if (latest && !(marked && marked.parentNode === latest.meta && marked.textContent === word)) {
        if (marked) {
          marked.parentNode!.removeChild(marked);
        }
        marked = make('span', {}, word);
        latest.meta.appendChild(marked);
      }
      if (unsent.length > count) {
        down();
      }
      count = unsent.length;
    },
    before(seq) {
      earlier.hidden = !seq;
    },
    invite(text) {
      if (text && !last) {
        greeting.textContent = text;
      }
    },
    down,
    end: () => clearTimeout(speaking),
  };
}

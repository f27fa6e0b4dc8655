import { byId, inside } from './events';
import { merge } from './lists';
import { announce, tellUnread } from './unread';

// What happens comes by one stream of events, which htmx opens, and a stream that is lost is said to be lost.

declare const htmx: {
  registerExtension(name: string, extension: { handle_swap(style: string, target: HTMLElement, fragment: DocumentFragment): boolean }): void;
  trigger(element: Element, event: string): void;
};

/** The places for what comes, by how it is put there. */
const swaps: Record<string, (target: HTMLElement, fragment: DocumentFragment) => void> = {
  merge,
  announce,
  unread: (_, fragment) => tellUnread(Number(inside(fragment, '[data-count]').dataset.count)),
  tell: (target, fragment) => target.dispatchEvent(new CustomEvent('told', { detail: fragment })),
};

htmx.registerExtension('console', {
  handle_swap: (style, target, fragment) => {
    swaps[style]?.(target, fragment);
    return style in swaps;
  },
});

/** Milliseconds without a word after which a stream is lost: it says every three seconds that it is there. */
const silence = 7000;

type Connection = 'connecting' | 'live' | 'lost' | 'yielded';

function tellConnection(is: Connection): void {
  document.documentElement.dataset.stream = is;
  for (const id of ['lost', 'yielded']) {
    byId(id).hidden = is !== id;
  }
}

/** What htmx says of a stream that has failed. */
type Failed = CustomEvent<{ status?: number; ctx?: { response?: { status?: number } } } | undefined>;

/** What htmx says of a stream that is open, or is opened. */
type Opened = CustomEvent<{ connection: { reader: ReadableStreamDefaultReader | null } }>;

/** The session is over. Whoever signs out here is told where to go by the answer. */
function over(): void {
  if (!document.querySelector('form[action="/sign-out"] [aria-busy]')) {
    location.reload();
  }
}

function lost(event: Event): void {
  const { detail } = event as Failed;
  const status = detail?.status ?? detail?.ctx?.response?.status;
  if (status === 401 || status === 404) {
    return over();
  }
  tellConnection('lost');
}

const source = document.getElementById('stream');
if (source) {
  let retry = 0;
  let heard = 0;
  let silent = false;
  let reader: (() => ReadableStreamDefaultReader | null) | undefined;
  tellConnection('connecting');
  source.addEventListener('htmx:sse:after:connection', (event) => {
    const { connection } = (event as Opened).detail;
    reader = () => connection.reader;
    retry = 0;
    heard = Date.now();
    tellConnection('live');
  });
  source.addEventListener('htmx:sse:before:message', () => {
    heard = Date.now();
    tellConnection('live');
  });
  // Nobody ends a stream whose machine is gone. The extension connects anew when its own end is closed. A page that wakes up looks
  // twice, so that what has come while it slept is read first.
  setInterval(() => {
    const open = reader?.();
    const before = silent;
    silent = !!open && Date.now() - heard > silence;
    if (open && silent && before) {
      silent = false;
      tellConnection('lost');
      void open.cancel();
    }
  }, 1000);
  source.addEventListener('htmx:sse:error', lost);
  source.addEventListener('ended', over);
  // The operator has opened too many pages since. To come back without being asked would drive out one of those.
  source.addEventListener('yielded', () => tellConnection('yielded'));
  // The extension connects anew what was connected once. The first time is tried again here.
  const again = (event: Event): void => {
    lost(event);
    setTimeout(() => htmx.trigger(source, 'connect'), Math.min(10000, 500 * 2 ** retry++));
  };
  source.addEventListener('htmx:error', again);
  source.addEventListener('htmx:response:error', again);
  addEventListener('offline', () => tellConnection('lost'));
}

import type { Core } from '../panels/shell';
import { encode } from '../text';
import type { News } from './conversation';

/** Seconds without a word after which a stream counts as dead, until it says within how many its next word comes. */
const silence = 45;

/** Milliseconds in which a stream says its first word; else something on the way holds it back, and the service is asked instead. */
const buffering = 6000;

/** Milliseconds between two questions: while the visitor looks, and else. */
const polling = [3000, 15_000];

/** Milliseconds between two questions beside a stream whose node does not hear what happens. */
const beside = 5000;

/** So many streams one after another without a word are enough: the service is asked instead, for so many milliseconds. */
const tries = 3;
const rest = 300_000;

/** Milliseconds for which a token of the service is good enough. */
const lasting = 300_000;

/** The first pause before another attempt and the longest one, in milliseconds. Each is twice the one before. */
const pauses = [1000, 30_000];

/** The connection to the conversation: it brings what is new, once and in order, however often it is cut. */
export interface Line {
  /** A token that opens the stream and pictures and takes files, for some minutes. `again` says that the last one did not do. */
  token(again?: boolean): Promise<string>;
  /** Has the line be open, or asks anew where it is. */
  open(): void;
  close(): void;
  /** Closes it for good. */
  end(): void;
  /** Asks once. */
  ask(body?: Record<string, unknown>): Promise<News | undefined>;
  /** The token that opens a file for a moment; empty where it cannot be had. */
  link(file: number): Promise<string>;
}

/**
 * `seen` is the number of the last message that has come by the line, and `take` gets what is new. `up` is called when the service
 * has answered after it had not.
 */
export function line(core: Core, seen: () => number, known: () => number, take: (news: News) => void, up: () => void): Line {
  let stream: EventSource | undefined;
  let wanted = false;
  let turn = 0;
  let failures = 0;
  let vain = 0;
  let over = false;
  /** Until when the service is asked instead. */
  let asking = 0;
  let heard = 0;
  let within = silence;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let token = '';
  let since = 0;
  let last: Promise<void> | undefined;
  let late: ReturnType<typeof setInterval> | undefined;

  async function post(route: string, body?: Record<string, unknown>): Promise<Record<string, any> | undefined> {
    const view = core.view();
    if (!view || !view.credentials) {
      return undefined; // They come.
    }
    const { success, data } = await core.request(route, encode({ ...view.keys, conversation: known() || undefined, ...body }));
    return success ? data : undefined;
  }

  async function ask(body?: Record<string, unknown>): Promise<News | undefined> {
    const news = await post('chat', body);
    if (news) {
      token = String(news.stream);
      since = Date.now();
    }
    return news;
  }

  async function link(file: number): Promise<string> {
    const answer = await post('chat/link', { file });
    return answer ? String(answer.link) : '';
  }

  function later(milliseconds: number, run: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  }

  function again(): void {
    hang();
    // Thousands of browsers are not to come back at one moment.
    const pause = Math.min(pauses[1], pauses[0] * 2 ** failures++) * (0.5 + Math.random());
    const view = core.view();
    later(view && view.credentials ? pause : 300, connect);
  }

  async function connect(): Promise<void> {
    const mine = ++turn;
    hang();
    let more = true;
    while (more) {
      const from = seen();
      const news = await ask({ after: from < 0 ? null : from });
      if (mine !== turn || !wanted) {
        return;
      }
      if (!news) {
        return again();
      }
      take(news);
      more = !!news.more && seen() > from;
    }
    if (mine !== turn) {
      return; // There was nothing to wait for.
    }
    if (failures) {
      up();
    }
    // Browsers hold few connections of HTTP/1 to a site: a page that nobody looks at leaves them to the others.
    if (Date.now() < asking || (document.hidden && !many())) {
      failures = 0;
      later(polling[document.hidden ? 1 : 0] * (0.8 + Math.random() * 0.4), connect);
      return;
    }
    listen(mine);
  }

  function listen(mine: number): void {
    const began = Date.now();
    heard = 0;
    within = silence;
    stream = new EventSource(core.base + 'v1/chat/stream?t=' + token + '&a=' + Math.max(0, seen()), { withCredentials: true });
    stream.onmessage = (event) => {
      heard = Date.now();
      failures = vain = 0;
      last = inTurn(last, mine, String(event.data));
    };
    stream.onerror = () => {
      if (mine === turn) {
        if (!heard && ++vain >= tries) {
          asking = began + rest;
        }
        failures = failures || (heard - began > pauses[1] ? 0 : 1);
        again();
      }
    };
    const watch = (): void => {
      if (!heard && Date.now() - began >= buffering) {
        asking = began + rest;
        connect();
      } else if (heard && Date.now() - heard > within * 1000) {
        again();
      } else {
        later(1000, watch);
      }
    };
    watch();
  }

  /** Events are read by the browser itself: the page may have changed JSON. */
  async function inTurn(before: Promise<void> | undefined, mine: number, data: string): Promise<void> {
    await before;
    try {
      const news: News = await new Response(data).json();
      if (mine === turn && wanted) {
        if (news.late !== undefined) {
          askBeside(news.late);
        }
        within = news.within || within;
        take(news);
      }
    } catch {
      // It was no event of the service.
    }
  }

  /** The stream stays: its node hears again some time. Until then another one may know. */
  function askBeside(is: boolean): void {
    clearInterval(late);
    if (is) {
      late = setInterval(async () => {
        const mine = turn;
        const news = await ask({ after: Math.max(0, seen()) });
        if (news && mine === turn && wanted) {
          take(news);
        }
      }, beside * (0.8 + Math.random() * 0.4));
    }
  }

  function hang(): void {
    clearTimeout(timer);
    askBeside(false);
    if (stream) {
      stream.close();
      stream = undefined;
    }
  }

  function returned(): void {
    if (wanted && (!document.hidden || !many())) {
      failures = 0;
      connect();
    }
  }

  function close(): void {
    wanted = false;
    turn++;
    hang();
  }

  addEventListener('online', returned);
  document.addEventListener('visibilitychange', returned);

  return {
    async token(again) {
      if (again || Date.now() - since > lasting) {
        await ask({ after: 1e15 });
      }
      return token;
    },
    ask,
    link,
    open() {
      if (!over && (!wanted || !stream)) {
        wanted = true;
        connect();
      }
    },
    close,
    end() {
      over = true;
      close();
      removeEventListener('online', returned);
      document.removeEventListener('visibilitychange', returned);
    },
  };
}

/** Whether the page came by HTTP/2 or 3, where connections are many streams. */
function many(): boolean {
  const page = performance.getEntriesByType && (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined);
  return !!page && /^h[23]/.test(page.nextHopProtocol);
}

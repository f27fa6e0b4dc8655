import { config } from './config';
import { awaitConsent, consented } from './consent';
import { pick, show } from './credentials';
import { ended, previous } from './page';
import { key, served } from './settings';
import { randomId } from './text';
import { deliver, unanswered } from './transport';
import type { Answer, Hit, View } from './view';

/**
 * A change of history and the site's own word about the same transition come within this many milliseconds. A report waits for its turn
 * as long.
 */
const moment = 2000;

/** Sites set the title of their new page after they have changed history. Milliseconds. */
const titleDelay = 60;

/** How long the first report waits for a title that is not there yet. Milliseconds. */
const loadDelay = 200;

/** Characters of an address or a title that are reported: the service keeps no more, and a report that is too large would be refused. */
const length = 2048;

export let current: View | undefined;

/** The browser's token, as the last answer had it, or else that of the link which has led here. */
let token = config.crossing;

let ready: () => void;
let told: (data: Record<string, any>, kind: Hit['kind']) => void;

/** Who is called when views may be sent, and when one has its ids or was reported in vain; and who takes what the service tells of the visitor. */
export function listen(goOn: typeof ready, take: typeof told): void {
  ready = goOn;
  told = take;
}

let watching = false;

/**
 * Whether anything may be sent, and the first view of the run, once it may. Until then nothing is
 * kept of the page's transitions: a prerendered page that nobody sees has not been viewed.
 */
export function begin(): boolean {
  if (!key || (document as { prerendering?: boolean }).prerendering || (ended && !current)) {
    return false;
  }
  if (!consented()) {
    if (!watching) {
      watching = true;
      awaitConsent(() => {
        watching = false;
        ready();
      });
    }
    return false;
  }
  if (!current) {
    first();
  }
  return true;
}

/** The script is loaded anew where a single-page site moves on: then the view may be under way already. */
function first(): void {
  const before = previous && previous.key === key && previous.view;
  if (!before) {
    open('load', document.referrer);
  } else if (claim(before)) {
    open('history', before.hit.referrer, before.hit.view);
    current!.claimed = true;
  } else {
    open('reinit', before.hit.url);
  }
}

function open(kind: Hit['kind'], referrer: string, id = randomId()): void {
  const hit: Hit = { site_key: key, view: id, url: pageAddress(), referrer: referrer.slice(0, length), title: pageTitle(), kind, browser: token };
  const view: View = { hit, began: Date.now(), keys: { hit } };
  if (kind === 'load') {
    hit.served = served.view;
    if (served.site_key === key && !isCopy()) {
      show((view.credentials = view.keys.credentials = pick(served)));
    }
  }
  if (current) {
    report(current);
  }
  current = view;
  const untitled = !document.title && document.readyState === 'loading';
  const delay = kind === 'history' ? titleDelay : untitled && loadDelay;
  // Tabs that are opened at once report one after another, so that all but the first have the cookie that its answer sets.
  const send = (): Promise<void> | void => report(view);
  setTimeout(send, delay || (navigator.locks && (navigator.locks.request(key, send).catch(send), moment)));
}

/** Whether the browser has taken the page from its cache: then what it was sent with is of an earlier view. */
export function isCopy(): boolean {
  const entry = performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming;
  return entry && entry.transferSize === 0;
}

/** Reports the view, once. */
export function report(view: View): Promise<void> | void {
  if (view.reported) {
    return;
  }
  view.reported = true;
  view.hit.title = pageTitle() || view.hit.title;
  const missed = (_: Answer, next: number): void => {
    view.missed = next;
    ready();
  };
  return deliver('hit', view.hit, missed, (answer) => {
    const { success, data } = answer;
    if (success) {
      view.keys = { credentials: (view.credentials = pick(data)), browser: (token = data.browser) };
      if (view === current) {
        show(view.credentials, data.consultant_server_url);
        told(data, view.hit.kind);
      }
    } else if (!unanswered(answer)) {
      view.refused = answer;
    }
    missed(answer, Infinity);
  });
}

/** The page came back from the back-forward cache. Where the visitor has been meanwhile is not known. */
export function restored(): void {
  if (current && begin()) {
    open('restore', '');
  }
}

/** The page may have moved on: by script, by the back button, by a change of the fragment. */
export function navigated(): void {
  if (current && current.hit.url !== pageAddress() && begin()) {
    open('history', current.hit.url);
  }
}

/** A transition that the site announces itself. */
export function reinitTrackView(): void {
  if (begin() && !claim(current!)) {
    open('reinit', current!.hit.url);
  }
}

/** Whether a transition that is announced now is this view, seen in history a moment ago. At most one is. */
function claim(view: View): boolean {
  return (
    view.hit.kind === 'history' &&
    !view.claimed &&
    view.hit.url === pageAddress() &&
    Date.now() - view.began < moment &&
    (view.claimed = true)
  );
}

/**
 * The address of the page: without a fragment, unless a router keeps its pages there (`#/` and `#!`),
 * and without the characters that break cookies into which sites put it unencoded.
 */
function pageAddress(): string {
  return location.href.slice(0, length).replace(/#(?![/!]).*/, '').replace(/[;|]/g, encodeURIComponent);
}

function pageTitle(): string {
  return document.title.slice(0, length);
}

import { key } from './settings';
import { request } from './transport';
import { begin } from './views';

/** Milliseconds after which the answer is asked for again, while the page is looked at. */
const freshness = 30_000;

/** Timers come a little early or late; the answer is old already this many milliseconds before. */
const tolerance = 1000;

/** Milliseconds after the last question in which the answer is kept fresh; a page that never asks costs no request. */
const interest = 300_000;

let online = false;
let learned = 0;
let asked = 0;
let timer: ReturnType<typeof setInterval> | undefined;

export function know(value: unknown, at = Date.now()): void {
  online = value === true;
  learned = at;
}

/** True when at least one operator is available, as far as was known half a minute ago. */
export function getOperatorStatus(): boolean {
  asked = Date.now();
  timer = timer || setInterval(refresh, freshness);
  refresh();
  return online;
}

/** Asks again if the answer is old and somebody wants it. */
export async function refresh(): Promise<void> {
  const now = Date.now();
  if (now - asked > interest) {
    end();
  } else if (learned && now - learned >= freshness - tolerance && !document.hidden && begin()) {
    learned = now;
    const { success, data } = await request('status?k=' + encodeURIComponent(key));
    if (success) {
      know(data.online, now);
    }
  }
}

export function end(): void {
  timer = clearInterval(timer) as undefined;
}

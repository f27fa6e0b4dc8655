import { base } from './settings';
import { encode, text } from './text';
import type { Answer } from './view';

export function failure(code: string): Answer {
  return { success: false, status: 0, statusText: '', data: { success: false, code } };
}

/** Why a call has failed, for programs. */
export function codeOf(data: Answer['data']): string {
  return text(Object(data.result).code || data.code);
}

/** Whether the service has not said yes or no: it was not reached, or could not do it now. */
export function unanswered({ status }: Answer): boolean {
  return !status || status === 408 || status === 429 || status >= 500;
}

/** Delivery is tried this often in all, after pauses of 0.5, 1.5, 4.5, 13.5 and 40.5 seconds. */
const attempts = 6;

/** Milliseconds after which a request without an answer is given up for another. */
const patience = 10_000;

/**
 * Milliseconds within which every callback is called: sites go on from there, whatever has happened. It is to be less than the five
 * seconds of the timers that they set themselves, and timers may come late. A question that takes longer is given up.
 */
export const deadline = 3900;

/** Bytes of bodies that browsers keep alive for a page that is gone: 64 KiB in all (Fetch, 4.6), less a reserve for the page's own. */
const keepaliveQuota = 60_000;

let kept = 0;
const sleepers = new Set<() => void>();

/** Ends all pauses between attempts: the page is being left, or the network is back. */
export function wake(): void {
  sleepers.forEach((sleeper) => sleeper());
}

function pause(milliseconds: number, over: () => void): void {
  const sleeper = (): void => {
    clearTimeout(timer);
    sleepers.delete(sleeper);
    over();
  };
  const timer = setTimeout(sleeper, milliseconds);
  sleepers.add(sleeper);
}

/**
 * Posts the body until the server has answered it or the attempts are used up: `done` gets the last answer. The body carries its own
 * random id, by which the server knows a repetition. `missed` is called after each attempt that was in vain and not the last, with
 * the time of the next one in milliseconds of the clock. It returns when the first attempt is over.
 */
export function deliver(route: string, body: object, missed: (answer: Answer, next: number) => void, done: (answer: Answer) => void): Promise<void> {
  const content = encode(body);
  const attempt = async (nth: number): Promise<void> => {
    const answer = await request(route, content, nth);
    if (!unanswered(answer) || nth === attempts) {
      return done(answer);
    }
    const wait = Math.max(500 * 3 ** (nth - 1), Math.min(answer.again || 0, 60) * 1000);
    missed(answer, Date.now() + wait);
    pause(wait, () => attempt(nth + 1));
  };
  return attempt(1);
}

/** One request: a POST of the content, or a GET when there is none. */
export async function request(route: string, content?: string, attempt = 1): Promise<Answer> {
  let size = new Blob([content || '']).size;
  // A request beyond the quota is refused at once, and the page may have used the quota itself: every second attempt does without.
  size = attempt % 2 > 0 && kept + size <= keepaliveQuota ? size : 0;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), content ? patience : deadline);
  kept += size;
  try {
    const response = await fetch(base + 'v1/' + route, {
      method: content ? 'POST' : 'GET',
      headers: (content && { 'Content-Type': 'application/json' }) as HeadersInit | undefined,
      body: content,
      credentials: 'include',
      keepalive: size > 0,
      signal: abort.signal,
    });
    return await read(response);
  } catch {
    return failure('network');
  } finally {
    clearTimeout(timer);
    kept -= size;
  }
}

async function read(response: Response): Promise<Answer> {
  let data: unknown;
  try {
    data = await response.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error; // The answer was cut off.
    }
    // Else it is not from the service but from something on the way.
  }
  const object = data && typeof data === 'object' ? (data as Answer['data']) : failure('malformed').data;
  return {
    success: response.ok && object.success === true,
    status: response.status,
    statusText: response.statusText,
    again: Number(response.headers.get('Retry-After')),
    data: object,
  };
}

import { base } from './settings';
import type { Answer } from './view';

export function failure(code: string): Answer {
  return { success: false, status: 0, statusText: '', data: { success: false, code } };
}

/** Whether the service has not said yes or no: it was not reached, or could not do it now. */
export function unanswered({ status }: Answer): boolean {
  return !status || status === 408 || status === 429 || status >= 500;
}

/** Delivery is tried this often in all, after pauses of 0.5, 1.5, 4.5, 13.5 and 40.5 seconds. */
const attempts = 6;

/** Milliseconds after which a request without an answer is given up for another. */
const patience = 10_000;

/** Bytes of bodies that browsers keep alive for a page that is gone: 64 KiB in all (Fetch, 4.6), less a reserve for the page's own. */
const keepaliveQuota = 60_000;

let kept = 0;
const sleepers = new Set<() => void>();

/** Ends all pauses between attempts: the page is being left, or the network is back. */
export function wake(): void {
  sleepers.forEach((sleeper) => sleeper());
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const sleeper = (): void => {
      clearTimeout(timer);
      sleepers.delete(sleeper);
      resolve();
    };
    const timer = setTimeout(sleeper, milliseconds);
    sleepers.add(sleeper);
  });
}

/**
 * Posts the body until the server has answered it, and never rejects. The body carries its own random
 * id, by which the server knows a repetition. `missed` is called after each attempt that was in vain.
 */
export async function deliver(route: string, body: object, missed?: () => void): Promise<Answer> {
  const content = JSON.stringify(body);
  for (let attempt = 1; ; attempt++) {
    let again = 0;
    const answer = await request(route, content, attempt, (seconds) => (again = seconds));
    if (!unanswered(answer) || attempt === attempts) {
      return answer;
    }
    if (missed) {
      missed();
    }
    await pause(Math.max(500 * 3 ** (attempt - 1), Math.min(again, 60) * 1000));
  }
}

/** One request: a POST of the content, or a GET when there is none. */
export async function request(
  route: string,
  content?: string,
  attempt = 1,
  retryAfter?: (seconds: number) => void,
): Promise<Answer> {
  const size = content ? new Blob([content]).size : 0;
  // A request beyond the quota is refused at once, and the page may have used the quota itself: every second attempt does without.
  const keepalive = size > 0 && attempt % 2 > 0 && kept + size <= keepaliveQuota;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), patience);
  kept += keepalive ? size : 0;
  try {
    const response = await fetch(base + 'v1/' + route, {
      method: content ? 'POST' : 'GET',
      headers: content ? { 'Content-Type': 'application/json' } : {},
      body: content,
      credentials: 'include',
      keepalive,
      signal: abort.signal,
    });
    if (retryAfter) {
      retryAfter(Number(response.headers.get('Retry-After')) || 0);
    }
    return read(response, await response.text());
  } catch {
    return failure('network');
  } finally {
    clearTimeout(timer);
    kept -= keepalive ? size : 0;
  }
}

function read(response: Response, body: string): Answer {
  let data: unknown;
  try {
    data = JSON.parse(body);
  } catch {
    // Not from the service but from something on the way.
  }
  const object = data && typeof data === 'object' ? (data as Answer['data']) : failure('malformed').data;
  return {
    success: response.ok && object.success === true,
    status: response.status,
    statusText: response.statusText,
    data: object,
  };
}

import { consented } from './consent';
import { key } from './settings';
import { randomId } from './text';
import { deliver, failure, wake } from './transport';
import type { Answer, View } from './view';
import { begin, current, report } from './views';

export interface Call {
  route: string;
  body: Record<string, unknown>;
  /** The view in which it was made. */
  view?: View;
  sent?: boolean;
  settle(answer: Answer): void;
}

/** Milliseconds within which every callback is called: sites go on from there, whatever has happened. */
export const deadline = 5000;

/** Calls that one page may have waiting and under way. */
const limit = 500;

/** Waiting and under way, oldest first. */
export const calls: Call[] = [];

/**
 * Makes a call of the service: at once when the ids of its view are known, else as soon as they are.
 * The service takes it at most once, and delivery goes on after the page has been told that it took too
 * long. Without a body the call fails, in the same way as any other.
 */
export function call(route: string, body: Record<string, unknown> | undefined, settled?: (answer: Answer) => void): void {
  let open = true;
  const settle = (answer: Answer): void => {
    const first = open;
    open = false;
    if (first && settled) {
      settled(answer);
    }
  };
  if (!key || !body || calls.length >= limit) {
    Promise.resolve(failure(!key ? 'no_key' : body ? 'too_many' : 'malformed')).then(settle);
    return;
  }
  const made: Call = { route, body: { id: randomId(), ...body }, view: current, settle };
  calls.push(made);
  setTimeout(() => {
    settle(failure('timeout'));
    if (!made.sent && !consented()) {
      remove(made);
    }
  }, deadline);
  pump();
}

/** Sends what can be sent; when the page is being left, everything, with the view itself where its ids are not known. */
export function pump(leaving?: boolean): void {
  if (!begin()) {
    return;
  }
  if (leaving) {
    report(current!);
    wake();
  }
  for (const made of calls.slice()) {
    const view = (made.view = made.view || current!);
    if (!made.sent && (leaving || ((view.credentials || view.missed) && !behind(made)))) {
      send(made);
    }
  }
}

/** The last value of a property is to be the last to arrive, so they go one after another. */
function behind(made: Call): boolean {
  return made.route === 'property' && calls.some((other) => other.sent && other.route === made.route);
}

async function send(made: Call): Promise<void> {
  made.sent = true;
  const { credentials, hit, refused } = made.view!;
  const proof = credentials ? { credentials } : { hit };
  const answer = refused || (await deliver(made.route, { ...made.body, ...proof }));
  remove(made);
  made.settle(answer);
  pump();
}

export function remove(made: Call): void {
  const at = calls.indexOf(made);
  if (at >= 0) {
    calls.splice(at, 1);
  }
}

/** Calls back into the page. What it throws there is reported as the page's own error and stops nothing here. */
export function give(callback: unknown, result: object): unknown {
  if (typeof callback === 'function') {
    try {
      return callback(result);
    } catch (error) {
      setTimeout(() => {
        throw error;
      });
    }
  }
  return undefined;
}

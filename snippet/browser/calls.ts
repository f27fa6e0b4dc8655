import { config } from './config';
import { consented } from './consent';
import { load } from './part';
import { key } from './settings';
import { copy, randomId, soon } from './text';
import { deadline, deliver, failure, wake } from './transport';
import type { Answer, View } from './view';
import { begin, current, report } from './views';

export interface Call {
  route: string;
  body: Record<string, unknown>;
  /** The view in which it was made. */
  view?: View;
  /** When the page is told that it took too long, in milliseconds of the clock. */
  due: number;
  sent?: boolean;
  /** An attempt to send it was in vain. */
  missed?: boolean;
  settle(answer: Answer): void;
}

/** Calls that one page may have waiting and under way. */
const limit = 500;

/** Waiting and under way, oldest first. */
export const calls = new Set<Call>();

/** Looks at each call before it is sent. The part that finds proofs for captchas has one of its own. */
export type Look = (made: Call) => void;

let look: Look = () => undefined;

/**
 * Makes a call of the service: at once when the ids of its view are known, else as soon as they are.
 * The service takes it at most once, and delivery goes on after the page has been told that it took too
 * long, unless `patient` says that only the end of it counts. A call for which there is no consent until then is dropped, and told so.
 * Without a body the call fails, in the same way as any other.
 */
export function call(
  route: string,
  body: Record<string, unknown> | undefined | false,
  settled?: (answer: Answer) => void,
  patient?: boolean,
): Call | undefined {
  const settle = (answer: Answer): void => {
    const tell = settled;
    settled = undefined;
    if (tell) {
      tell(answer);
    }
  };
  if (!key || !body || calls.size >= limit) {
    soon(() => settle(failure(!key ? 'no_key' : body ? 'too_many' : 'malformed')));
    return undefined;
  }
  const made: Call = { route, body: { id: randomId(), ...body }, view: current, due: patient ? Infinity : Date.now() + deadline, settle };
  calls.add(made);
  look(made);
  setTimeout(() => {
    const dropped = !made.sent && !consented() && calls.delete(made);
    if (dropped || !patient) {
      settle(failure(dropped ? 'no_consent' : 'timeout'));
    }
  }, deadline);
  pump();
  return made;
}

/** A call with an object of the page's, as it is now. It fails where there is none, or one that cannot be read. */
export function order(route: string, given: unknown, settled: (answer: Answer) => void): void {
  let request: any;
  try {
    request = copy(given);
  } catch {
    // Reading it runs code of the page.
  }
  call(route, request && { request }, settled);
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
  // The last value of a property is to arrive last, and leads are stored in their order. So these go one after another, but a lead
  // that was sent in vain once holds no other up.
  const ahead: Record<string, boolean> = {};
  for (const made of calls) {
    const { route } = made;
    const view = (made.view = made.view || current!);
    if (!made.sent && (leaving || ((view.credentials || view.missed) && !ahead[route]))) {
      send(made);
    }
    if (route === 'property' || (route === 'lead' && !made.missed)) {
      ahead[route] = true;
    }
  }
}

function send(made: Call): void {
  made.sent = true;
  const { keys, refused } = made.view!;
  const done = async (answer: Answer): Promise<void> => {
    calls.delete(made);
    if (answer.data.proof) {
      const { find } = await load(config.proof);
      if (find) {
        look = find(answer.data, pump);
      }
    }
    made.settle(answer);
    pump();
  };
  if (refused) {
    soon(() => done(refused));
    return;
  }
  // Another attempt that would come too late for the page is made all the same, but the page need not wait for it.
  const missed = (answer: Answer, next: number): void => {
    made.missed = true;
    if (next > made.due) {
      made.settle(answer);
    }
    pump();
  };
  deliver(made.route, { ...made.body, ...keys }, missed, done);
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

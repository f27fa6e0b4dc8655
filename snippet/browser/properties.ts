import { call, calls, deadline, give, remove } from './calls';
import { key } from './settings';
import { text } from './text';
import { unanswered } from './transport';

/** A text, null for a flag, undefined for a property that is not set. */
type Value = string | null | undefined;

/** The visitor's properties as the service will have them when all calls have arrived; undefined until it has told them. */
let known: Map<string, Value> | undefined;

/** Those who have asked before. */
const asking = new Set<() => void>();

/** Takes what the service has told. While a view goes on, what the page itself has done since is nearer to the truth. */
export function learn(properties: unknown, afresh: boolean): void {
  if (known && !afresh) {
    return;
  }
  const told = (known = new Map<string, Value>(Object.entries(properties || {})));
  for (const made of calls.slice()) {
    const { name, value } = wanted(made.body);
    if (made.route === 'property') {
      if (made.sent || told.get(name) !== value) {
        told.set(name, value);
      } else {
        remove(made);
      }
    }
  }
  asking.forEach((ask) => ask());
}

function wanted(body: Record<string, unknown>): { name: string; value: Value } {
  const value = body.delete ? undefined : ((body.value || null) as Value);
  return { name: body.name as string, value };
}

/** Sites set the same property again and again: only a change is a call. */
function put(change: Record<string, unknown>): void {
  const { name, value } = wanted(change);
  if (!name || (known && known.get(name) === value)) {
    return;
  }
  if (known) {
    known.set(name, value);
  }
  const waiting = calls.find((made) => !made.sent && made.route === 'property' && made.body.name === name);
  if (waiting) {
    waiting.body = { id: waiting.body.id, ...change };
    return;
  }
  call('property', change, (answer) => {
    // Not arrived, so it is not known either, and the next try counts. What the service refuses is not tried again.
    if (known && unanswered(answer)) {
      known.delete(name);
    }
  });
}

export function setProperty(name: unknown, value?: unknown): void {
  put({ name: text(name), value: text(value) || undefined });
}

export function deleteProperty(name: unknown): void {
  put({ name: text(name), delete: true });
}

export function hasProperty(name: unknown, callback: unknown): void {
  ask(name, callback, (value) => value !== undefined);
}

/** A flag has a value, the empty one. */
export function getProperty(name: unknown, callback: unknown): void {
  ask(name, callback, (value) => (value === undefined ? false : value || ''));
}

/** Answers from what is known, after the caller has gone on. */
function ask(name: unknown, callback: unknown, result: (value: Value) => unknown): void {
  const answer = (): void => {
    asking.delete(answer);
    clearTimeout(timer);
    give(callback, { success: !!known, result: !!known && result(known.get(text(name))) });
  };
  const timer = setTimeout(answer, deadline);
  if (known || !key) {
    Promise.resolve().then(answer);
  } else {
    asking.add(answer);
  }
}

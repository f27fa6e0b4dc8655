import { call, calls, give } from './calls';
import { key } from './settings';
import { each, soon, text } from './text';
import { deadline, unanswered } from './transport';
import type { Answer } from './view';
import { current } from './views';

/** A text, null for a flag, undefined for a property that is not set. */
type Value = string | null | undefined;

/** Bytes in UTF-8 that the service takes of a name and of a value. */
const longestName = 128;
const longestValue = 2048;

/** The visitor's properties as the service will have them when all calls have arrived; undefined until it has told them. */
let known: Map<string, Value> | undefined;

/** What the service has refused on this page: it is not tried again, however often the page does. */
const refused = new Map<string, Value>();

/** Those who have asked before, and when they must be answered, in milliseconds of the clock. */
const asking = new Map<() => void, number>();

/** Takes what the service has told. While a view goes on, what the page itself has done since is nearer to the truth. */
export function learn(properties: Record<string, Value>, afresh: boolean): void {
  if (known && !afresh) {
    return;
  }
  const told = (known = new Map<string, Value>());
  each(Object.keys(properties || {}), (name) => told.set(name, properties[name]));
  for (const made of calls) {
    const { name, value } = wanted(made.body);
    if (made.route === 'property') {
      if (made.sent || told.get(name) !== value) {
        told.set(name, value);
      } else {
        calls.delete(made);
      }
    }
  }
  asking.forEach((_, answer) => answer());
}

/** Answers those who ask in vain: the service does not want the view, or will not be asked again in time. */
export function giveUp(): void {
  asking.forEach((due, answer) => {
    if (current && (current.refused || current.missed! > due)) {
      answer();
    }
  });
}

function wanted(body: Record<string, unknown>): { name: string; value: Value } {
  const value = body.delete ? undefined : ((body.value || null) as Value);
  return { name: body.name as string, value };
}

/** Sites set the same property again and again: only a change is a call. */
function put(change: Record<string, unknown>): void {
  const { name, value } = wanted(change);
  const before = known && known.get(name);
  if (!name || (known && before === value) || (refused.has(name) && refused.get(name) === value)) {
    return;
  }
  if (known) {
    known.set(name, value);
  }
  for (const made of calls) {
    if (!made.sent && made.route === 'property' && made.body.name === name) {
      made.body = { id: made.body.id, ...change };
      return;
    }
  }
  const settled = (answer: Answer): void => {
    if (!known || answer.success) {
      return;
    }
    // What has not arrived is not known either, and the next try counts. What is refused leaves the property as it was.
    if (unanswered(answer) || before === undefined) {
      known.delete(name);
    } else {
      known.set(name, before);
    }
    if (made && !unanswered(answer)) {
      refused.set(name, wanted(made.body).value);
    }
  };
  const made = call('property', change, settled, true);
}

/** What the service keeps of a text: so many bytes, cut between characters. The page is to read the same from now on. */
function kept(value: unknown, bytes: number): string {
  const whole = new TextEncoder().encode(text(value).replace(/\0/g, ''));
  // As a part of a stream, it ends before a character that is not whole.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole.subarray(0, bytes), { stream: true });
}

export function setProperty(name: unknown, value?: unknown): void {
  put({ name: kept(name, longestName), value: kept(value, longestValue) || undefined });
}

export function deleteProperty(name: unknown): void {
  put({ name: kept(name, longestName), delete: true });
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
    give(callback, { success: !!known, result: !!known && result(known.get(kept(name, longestName))) });
  };
  const timer = setTimeout(answer, deadline);
  asking.set(answer, Date.now() + deadline);
  soon(() => {
    if (asking.has(answer) && (known || !key)) {
      answer();
    }
    giveUp();
  });
}

/**
 * Pages come with code that has changed the built-in objects: old libraries give arrays a `toJSON`, others replace `map`, `JSON` or
 * `Promise`. So what a page needs for its ids uses no methods of arrays, neither `JSON` nor the global `Promise`.
 */
export function each<T>(list: ArrayLike<T>, visit: (item: T) => void): void {
  for (let i = 0; i < list.length; i++) {
    visit(list[i]);
  }
}

/** Runs it after the caller has gone on. */
export async function soon(run: () => void): Promise<void> {
  await 0;
  run();
}

/** Any value of a page as text: the only element of an array, nothing for null, undefined and what refuses. */
export function text(value: unknown): string {
  try {
    return Array.isArray(value) ? text(value[0]) : value == null ? '' : String(value);
  } catch {
    return '';
  }
}

/** What stands in the last of the page's blocks of data with that attribute; an empty object where it cannot be read. */
export function blockOf(attribute: string): Record<string, any> {
  let block = '{}'; // To throw and catch for want of one takes milliseconds.
  each(document.querySelectorAll('script[data-svc' + attribute + ']'), (last) => (block = last.textContent!));
  try {
    return Object(JSON.parse(block));
  } catch {
    return {}; // The page was cut off.
  }
}

/** An object, and those that it stands in. */
interface Nesting {
  object: unknown;
  outer?: Nesting;
}

/**
 * A copy of a page's object as it will be sent. Forms come with odd things inside: an element stands
 * for its value, and an object that contains itself is cut there.
 */
export function copy(value: any, outer?: Nesting): unknown {
  if (value instanceof Node) {
    value = (value as HTMLInputElement).value;
  } else if (value && typeof value === 'object' && !Array.isArray(value) && typeof value.toJSON === 'function') {
    value = value.toJSON();
  }
  if (!value || typeof value !== 'object') {
    return /^(function|symbol)$/.test(typeof value) ? undefined : value;
  }
  for (let nesting = outer; nesting; nesting = nesting.outer) {
    if (nesting.object === value) {
      return undefined;
    }
  }
  const result = Array.isArray(value) ? [] : Object.create(null);
  each(Object.keys(value), (name) => (result[name] = copy(value[name], { object: value, outer })));
  return result;
}

/** A copy, or what is like one, as JSON. */
export function encode(value: any): string {
  if (/^(string|bigint)$/.test(typeof value)) {
    return '"' + String(value).replace(/["\\\0-\x1f]/g, (char) => '\\u' + ('000' + char.charCodeAt(0).toString(16)).slice(-4)) + '"';
  }
  let inner = '';
  if (Array.isArray(value)) {
    each(value, (part) => (inner += (inner && ',') + encode(part)));
    return '[' + inner + ']';
  }
  if (value && typeof value === 'object') {
    each(Object.keys(value), (name) => {
      if (value[name] !== undefined) {
        inner += (inner && ',') + encode(name) + ':' + encode(value[name]);
      }
    });
    return '{' + inner + '}';
  }
  return /^(boolean|number)$/.test(typeof value) && isFinite(value) ? String(value) : 'null';
}

/** 160 random bits in some 48 digits, 16 at least: the name of a page view or of a call. No page changes the methods of typed arrays. */
export function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(5)).join('');
}

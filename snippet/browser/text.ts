/** Any value of a page as text: the only element of an array, nothing for null, undefined and what refuses. */
export function text(value: unknown): string {
  try {
    return Array.isArray(value) ? text(value[0]) : value == null ? '' : String(value);
  } catch {
    return '';
  }
}

/**
 * A copy of a page's object as it will be sent. Forms come with odd things inside: an element stands
 * for its value, and an object that contains itself is cut there.
 */
export function copy(value: unknown): unknown {
  const above: unknown[] = [];
  return JSON.parse(
    JSON.stringify(value, function (this: unknown, _name, part) {
      if (typeof part === 'bigint') {
        return String(part);
      }
      if (part instanceof Node) {
        return (part as HTMLInputElement).value;
      }
      if (part && typeof part === 'object') {
        while (above.length && above[above.length - 1] !== this) {
          above.pop();
        }
        if (above.includes(part)) {
          return undefined;
        }
        above.push(part);
      }
      return part;
    }),
  );
}

/** 128 random bits in 22 characters: the name of a page view or of a call. */
export function randomId(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))
    .slice(0, 22)
    .replace(/\+/g, '-')
    .replace(/\//g, '_');
}

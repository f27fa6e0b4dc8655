import { currencySign, firstUnspaced, Kind, kinds, leading, mark, zeros } from './rules';

/** A character as it was written. `zero` is that of a figure's script. */
export interface Character {
  kind: Kind;
  size: number;
  zero?: number;
  value?: number;
  escaped?: boolean;
}

/** Reads the character at i. In links it may be percent-encoded: those of ASCII, and the non-breaking space. */
export function read(text: string, i: number, link: boolean): Character {
  if (link && text[i] === '%') {
    const [escape] = /^%(c2%a0|[0-7][\da-f])?/i.exec(text.slice(i, i + 6))!;
    const char = escape.length > 3 ? ' ' : escape.length > 1 ? String.fromCharCode(parseInt(escape.slice(1), 16)) : '';
    return { ...read(char > mark ? char : '%', 0, false), size: escape.length, escaped: true };
  }
  const code = text.charCodeAt(i);
  for (const zero of zeros) {
    if (code >= zero && code < zero + 10) {
      return { kind: Kind.Figure, size: 1, zero, value: code - zero };
    }
  }
  const found = kinds.find(([, characters]) => characters.test(text[i]));
  return { kind: found ? found[0] : Kind.Other, size: 1 };
}

const figures = zeros.map((zero) => String.fromCharCode(zero) + '-' + String.fromCharCode(zero + 9)).join('');
const beginnings = new RegExp('[%' + leading + figures + ']', 'g');

/**
 * What finds the last digits of the numbers in joined texts, however they are written: a text without them holds none of the numbers,
 * and few other figures have the same five.
 */
export function tailsOf(numbers: Iterable<string>, tail = 5): RegExp {
  const between = '[' + kinds.map(([, { source }]) => source.replace(/^\[|\]$/g, '')).join('') + ']*';
  const tails = new Set<string>();
  for (const number of numbers) {
    tails.add(number.slice(-tail));
  }
  const patterns = ['(?!)']; // Without numbers nothing is found.
  for (const digits of tails) {
    patterns.push(Array.from(digits, (digit) => '[' + zeros.map((zero) => String.fromCharCode(zero + +digit)).join('') + ']').join(between));
  }
  return new RegExp(patterns.join('|'), 'g');
}

/** Where a row of digits and separators may begin, from i on. */
export function begin(text: string, i: number): number {
  beginnings.lastIndex = i;
  const found = beginnings.exec(text);
  return found ? found.index : text.length;
}

/** Whether it makes one word with digits beside it. Scripts written without spaces do not. */
export function isGlue(char: string): boolean {
  return char < firstUnspaced && /[\p{L}\p{M}\p{Nd}_]/u.test(char);
}

export function isCurrency(char: string): boolean {
  return currencySign.test(char);
}

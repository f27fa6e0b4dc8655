/** What a character is to a writing. Those that may stand between two digits are bits, so that a gap is a sum of them. */
export const enum Kind {
  Other = 0,
  Space = 1,
  Dash = 2,
  Dot = 4,
  Slash = 8,
  Open = 16,
  Close = 32,
  Plus = 64,
  Comma = 128,
  Colon = 256,
  /** More separators than a writing has between two digits. */
  Wide = 512,
  /** Markup, not counted. */
  Tag = 1024,
  /** Not seen on the page: soft hyphen, joiners, marks of direction. */
  Hidden = 2048,
  Figure = 4096,

  Strokes = Dash | Dot | Slash,
  Brackets = Open | Close,
  /** Never inside a writing. */
  Outside = Plus | Comma | Colon | Wide,
  Seen = Space | Strokes | Brackets | Outside,
}

/** Stands in a text for inline markup. */
export const mark = '\0';

/** The zeros of the scripts whose digits are read; the nine others follow each. */
const zeros = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xe50, 0xed0, 0x1040, 0x17e0, 0xff10];

const kinds: [Kind, RegExp][] = [
  [Kind.Space, /[\t\n\f\r \xa0\u1680\u2000-\u200a\u202f\u205f\u3000]/],
  [Kind.Dash, /[-\u2010-\u2015\u2043\u2212\u30fc\ufe58\ufe63\uff0d]/],
  [Kind.Dot, /[.\xb7\u2022\u2024\u2219\u22c5\uff0e]/],
  [Kind.Slash, /[/\u2044\u2215\uff0f]/],
  [Kind.Open, /[(\uff08]/],
  [Kind.Close, /[)\uff09]/],
  [Kind.Plus, /[+\ufe62\uff0b]/],
  [Kind.Comma, /[,\uff0c]/],
  [Kind.Colon, /[:\uff1a]/],
  [Kind.Tag, /\0/],
  [Kind.Hidden, /[\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\u20e3\ufe0e\ufe0f\ufeff]/],
];

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
const beginnings = new RegExp('[+(%\\uff08\\ufe62\\uff0b' + figures + ']', 'g');

/** Where a row of digits and separators may begin, from i on. */
export function begin(text: string, i: number): number {
  beginnings.lastIndex = i;
  const found = beginnings.exec(text);
  return found ? found.index : text.length;
}

/** Whether it makes one word with digits beside it. Scripts written without spaces, all from U+0E00 on, do not. */
export function isGlue(char: string): boolean {
  return char < '\u0e00' && /[\p{L}\p{M}\p{Nd}_]/u.test(char);
}

export function isCurrency(char: string): boolean {
  return /[\p{Sc}%\u5143\u5186\uc6d0]/u.test(char);
}

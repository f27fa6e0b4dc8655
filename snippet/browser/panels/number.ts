import { trunks } from './trunks';

/** A mask of telephone numbers. */
export interface Mask {
  text: string;
  /** What stands before the first place. */
  lead: string;
  /** The country's code that the lead has behind a plus sign, and the other digits of the lead. */
  code: string;
  area: string;
  /** The digits that are dialled before a number within that country. */
  trunk: string;
  places: number;
  /** The character that stands for a digit. */
  mark: string;
}

/** A number as its field shows it. */
export interface Shown {
  text: string;
  /** The number fills the mask, or is one of another country. */
  whole: boolean;
  /** The digits that the visitor has typed where the lead stands now; undefined where the text stands as it was typed. */
  typed?: string;
}

/** Characters that stand for a digit: the first of them that the mask has does. */
const marks = ['#', '_', 'x', 'X', '9', '0'];

/** Places of which there have to be that many, for the text to be a mask. */
const fewest = 4;

/** The digits of a text. */
export const digitsOf = (text: string): string => latin(text).replace(/\D/g, '');

/** The text with its Arabic, Persian and wide digits as the others are. */
export const latin = (text: string): string =>
  text.replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) => String(digit.charCodeAt(0) & 15));

const begins = (text: string, start: string): boolean => text.slice(0, start.length) === start;

/** Reads a mask, such as +7 (###) ###-##-##. It gives undefined where the text is none, or has digits between its places. */
export function maskOf(text: string): Mask | undefined {
  const country = /^\s*\+\s*(\d{1,3})(?!\d)/.exec(text) || ['', ''];
  const from = country[0].length;
  for (let i = 0; i < marks.length; i++) {
    const mark = marks[i];
    const places = text.slice(from).split(mark).length - 1;
    if (places >= fewest) {
      const first = text.indexOf(mark, from);
      const lead = text.slice(0, first);
      const code = country[1];
      let trunk = '';
      for (let k = 0; k < trunks.length; k++) {
        trunk = trunks[k][1].indexOf(' ' + code + ' ') >= 0 ? trunks[k][0] : trunk;
      }
      let behind = '';
      for (let at = first; at < text.length; at++) {
        behind += text[at] === mark ? '' : text[at];
      }
      return /\d/.test(behind) ? undefined : { text, lead, code, area: lead.slice(from).replace(/\D/g, ''), trunk, places, mark };
    }
  }
  return undefined;
}

/**
 * How many of the digits the lead stands for; the others have their places. It is undefined where the number is to stay as it is typed,
 * since it is of another country, or has more digits than there are places, or may still become a number with its country's code. `left`
 * says that the visitor has left the field.
 */
function leading(mask: Mask, typed: string, plus: boolean, left: boolean): number | undefined {
  const { code, area, trunk, places } = mask;
  const own = code + area;
  const abroad = begins(typed, '00');
  if (plus && code && begins(typed, own) && typed.length <= own.length + places) {
    return own.length;
  }
  const starts = plus ? [code && code + trunk + area] : abroad ? [own && '00' + own] : [own, trunk && trunk + area, area];
  for (let i = 0; i < starts.length; i++) {
    if (starts[i] && begins(typed, starts[i]) && typed.length === starts[i].length + places) {
      return starts[i].length;
    }
  }
  const holds = [own, trunk, '00'];
  for (let i = 0; i < holds.length; i++) {
    if (holds[i] && (begins(typed, holds[i]) || begins(holds[i], typed))) {
      // Numbers of Kazakhstan begin with 7, and so does its code.
      return left && typed.length === places && code === '7' && begins(typed, code) && !plus ? 0 : undefined;
    }
  }
  return !plus && typed.length <= places ? 0 : undefined;
}

/** Writes the digits into the places, up to the last digit. */
function poured(mask: Mask, digits: string): string {
  let text = mask.lead;
  for (let at = text.length, i = 0; i < digits.length; at++) {
    text += mask.text[at] === mask.mark ? digits[i++] : mask.text[at];
  }
  return text;
}

/**
 * Shows a number by the mask. No digit that the visitor has typed is ever left out: a number that does not fit stands as it was typed.
 * `before` are the digits that he has typed where the lead stands, as it was told last.
 */
export function shown(mask: Mask, written: string, before: string | undefined, left: boolean): Shown {
  const text = latin(written);
  const ours = before !== undefined && begins(text, mask.lead);
  const typed = ours ? before + digitsOf(text.slice(mask.lead.length)) : digitsOf(text);
  const plus = !ours && /^\s*\+/.test(text);
  const start = leading(mask, typed, plus, left);
  if (typed && start !== undefined && (start < typed.length || !plus)) {
    const digits = typed.slice(start);
    return { text: poured(mask, digits), whole: digits.length === mask.places, typed: plus ? undefined : typed.slice(0, start) };
  }
  const abroad = plus ? typed : begins(typed, '00') ? typed.slice(2) : '';
  const foreign = abroad.length > 6 && abroad.length < 16 && !(mask.code && begins(abroad, mask.code)); // E.164
  return { text: ours ? typed : text, whole: foreign };
}

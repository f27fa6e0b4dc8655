import { Form } from './rules';

/**
 * A group of forms as the server writes it: the forms are each prefix with `old` behind. What is poured has no `compact`, but in its
 * place where the area code begins in `old`.
 */
export type Group = [form: Form, prefixes: string, old: string, fresh?: string | null, text?: string, compact?: string | number, area?: number];

/** What one row of digits means, and what becomes of it. */
export interface Meaning {
  form: Form;
  /** Digits in international form. */
  number: string;
  /** As many digits as the form has, where they can take its places. */
  poured?: string;
  /** What is written otherwise, and what where the old writing has no separators. A plus sign at the beginning has to stay. */
  text: string;
  compact: string;
  /**
   * Where the area code begins, and its digits: what is poured is written otherwise where the old code has another length. It counts
   * in parentheses only where `area` is negative, and never where it is 0.
   */
  at: number;
  area: number;
  /** What people read in the place of every writing, whichever it was. */
  template?: string;
}

export type Table = Map<string, Meaning>;

/** Adds a number's forms to the table. */
export function learn(table: Table, number: string, groups: Group[], template?: string): void {
  for (const [form, prefixes, old, fresh = old, text = '', compact = '', area = 0] of groups) {
    for (const prefix of prefixes.split(' ')) {
      const dialled = form === Form.Dialled;
      table.set(prefix + old, {
        form,
        number,
        poured: fresh === null ? undefined : prefix + fresh,
        text: dialled ? prefix + ' ' + text : text,
        compact: dialled ? prefix + compact : String(compact),
        at: area && prefix.length + +compact,
        area,
        template,
      });
    }
  }
}

/** The way back: what was poured means the digits that stood there before. */
export function reverse(table: Table): Table {
  const back: Table = new Map();
  table.forEach((meaning, digits) => {
    const { poured } = meaning;
    if (poured && poured !== digits && !back.has(poured)) {
      back.set(poured, { ...meaning, poured: digits, area: 0, template: undefined });
    }
  });
  return back;
}

/** The digits of all forms of the numbers. */
export function formsOf(numbers: { forms?: Group[] }[]): string[] {
  return numbers.flatMap(({ forms }) => (forms || []).flatMap(([, prefixes, old]) => prefixes.split(' ').map((prefix) => prefix + old)));
}

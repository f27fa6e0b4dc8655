import { begin } from './character';
import type { Table } from './forms';
import { matchAt } from './match';
import { Form, Kind, mark } from './rules';
import { aligned, gather, type Run } from './run';
import { compact, dials, type Writing } from './writing';

/**
 * The text with the numbers of the table replaced; inline markup is a mark in it and stays. Behind a link's lead
 * the rules are those of links; where it dials, a country's code gets its plus sign. `found` is told each number that is replaced.
 */
export function rewrite(text: string, table: Table, lead?: string, found?: (number: string) => void): string {
  let out = '';
  let done = 0;
  for (let i = 0; (i = begin(text, i)) < text.length; ) {
    const run = gather(text, i, !!lead);
    i = run.next;
    for (let first = 0; first < run.digits.length; ) {
      const writing = !first || aligned(run, first) ? matchAt(run, first, table) : undefined;
      if (!writing) {
        first++;
        continue;
      }
      first = run.matched = writing.end;
      const [start, end] = extent(run, writing);
      const fresh = write(run, writing, start, end);
      const changed = fresh !== text.slice(start, end);
      const plus = changed && dials(lead) && !writing.plus && writing.meaning.form === Form.International;
      out += text.slice(done, start) + (plus ? '+' : '') + fresh;
      done = end;
      if (found && changed) {
        found(writing.meaning.number);
      }
    }
  }
  return out + text.slice(done);
}

/** From the first character to behind the last, with the plus sign and the parenthesis that belong to it. */
function extent({ digits }: Run, w: Writing): [number, number] {
  const { at, plusAt, openAt } = digits[w.first];
  const last = digits[w.end - 1];
  const start = w.plus ? plusAt : at;
  return [w.open ? Math.min(start, openAt) : start, last.at + last.size];
}

function write(run: Run, w: Writing, start: number, end: number): string {
  const { poured, template } = w.meaning;
  const { text, digits } = run;
  if (template && !run.link) {
    return spell(run, w, template) + marks(text.slice(start, end));
  }
  if (!poured || (!run.link && regroups(run, w, poured))) {
    return anew(run, w) + marks(text.slice(start, end));
  }
  let fresh = '';
  for (let i = w.first; i < w.end; i++) {
    const { at, size, zero, value, escaped } = digits[i];
    const digit = poured[i - w.first];
    fresh += text.slice(start, at) + (+digit === value ? text.slice(at, at + size) : escaped ? '%3' + digit : figure(zero, digit));
    start = at + size;
  }
  return fresh;
}

/** Whether the area code as it is written has another length than that of the new number. */
function regroups(run: Run, { first, end, meaning: { at, area } }: Writing, poured: string): boolean {
  const begin = first + at;
  for (let i = begin + 1; area && i < end; i++) {
    if (aligned(run, i)) {
      const { digits } = run;
      const old = digits.slice(begin, i).map(({ value }) => value).join('');
      return i - begin !== Math.abs(area) && (area > 0 || (digits[i].gap & Kind.Close) > 0) && old !== poured.substr(at, i - begin);
    }
  }
  return false;
}

function figure(zero: number, digit: string): string {
  return String.fromCharCode(zero + +digit);
}

/** The markup of a writing, without its text. */
function marks(text: string): string {
  return text.split(mark).fill('').join(mark);
}

/** Writes the number otherwise. */
function anew(run: Run, w: Writing): string {
  const { form, text, compact: dense } = w.meaning;
  const plain = run.link || (compact(w) && !w.open) ? dense : text;
  const bare = plain.replace('+', '');
  const plus = w.plus || (plain !== bare && !(run.link && form === Form.International));
  return (plus ? '+' : '') + spell(run, w, bare);
}

/** A text with the old writing's script, space and dash, as far as it had any. */
function spell({ digits, space, dash }: Run, w: Writing, text: string): string {
  const { zero, escaped } = digits[w.first];
  return text.replace(/\d/g, (digit) => (escaped ? digit : figure(zero, digit))).replace(/ /g, space).replace(/-/g, dash);
}

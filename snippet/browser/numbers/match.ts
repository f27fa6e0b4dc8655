import type { Table } from './forms';
import { Form, Kind, longGroup, maxDigits, maxEnding, minLoneNational, wholeNumber } from './rules';
import { freeAfter, freeBefore } from './surroundings';
import { aligned, groupAfter, groupBefore, type Run } from './run';
import { compact, onlySpaces, type Writing } from './writing';

/** Finds the longest writing that begins with digit i. */
export function matchAt(run: Run, i: number, table: Table): Writing | undefined {
  const { digits } = run;
  const plus = (digits[i].gap & Kind.Plus) > 0;
  let led = (digits[i].gap & Kind.Open) > 0;
  let depth = led ? 1 : 0;
  let open = false;
  let gaps = 0;
  let spaced = 0;
  let read = '';
  let found: Writing | undefined;
  for (let end = i; end < digits.length && end - i < maxDigits; ) {
    const { gap, value } = digits[end];
    if (end > i) {
      if (gap & Kind.Outside) {
        break;
      }
      if (gap & Kind.Close) {
        if (--depth < 0) {
          break;
        }
        open = open || led;
        led = false;
      }
      if (gap & Kind.Open) {
        depth++;
      }
      gaps |= gap;
      if (gap & Kind.Space) {
        spaced |= gap & Kind.Strokes;
      }
    }
    read += value;
    const meaning = aligned(run, ++end) && table.get(read);
    if (meaning) {
      const writing = { meaning, first: i, end, gaps, spaced, plus, open };
      if (accepts(run, writing, table)) {
        found = writing;
      }
    }
  }
  return found;
}

function accepts(run: Run, w: Writing, table: Table): boolean {
  const { form } = w.meaning;
  if (w.plus && form !== Form.International && form !== Form.CountryTrunk) {
    return false;
  }
  if (run.link) {
    return (!w.first || freeLeft(run, w)) && (w.end === run.digits.length || freeRight(run, w, table));
  }
  const short = form === Form.National && w.end - w.first < minLoneNational;
  return !short && !isOtherFigure(run, w) && freeLeft(run, w) && freeRight(run, w, table);
}

/** Tells dates, network addresses and decimals from numbers with the same digits. */
function isOtherFigure(run: Run, w: Writing): boolean {
  if (w.plus || w.gaps & (Kind.Brackets | Kind.Space)) {
    return false;
  }
  const groups: string[] = [];
  for (let i = w.first; i < w.end; ) {
    const end = groupAfter(run, i);
    groups.push(run.digits.slice(i, end).map(({ value }) => value).join(''));
    i = end;
  }
  const gaps = w.gaps & Kind.Seen;
  const sizes = groups.map(({ length }) => length).join('');
  const [a, b, c, d] = groups.map(Number);
  if (groups.length === 2 && gaps === Kind.Dot) {
    return groups[0][0] !== '0' || groups[0].length === 1;
  }
  if (groups.length === 3 && (gaps === Kind.Dash || gaps === Kind.Dot || gaps === Kind.Slash)) {
    return sizes === '422' ? isDate(a, b, c) : sizes === '224' && (isDate(c, b, a) || isDate(c, a, b));
  }
  return groups.length === 4 && gaps === Kind.Dot && sizes !== '2222' && Math.max(a, b, c, d) < 256;
}

function isDate(year: number, month: number, day: number): boolean {
  return year >= 1900 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** Whether the writing is free of what stands before it. */
function freeLeft(run: Run, w: Writing): boolean {
  const { first } = w;
  if (!first) {
    return freeBefore(run, w);
  }
  const { gap } = run.digits[first];
  if (gap & Kind.Wide || run.matched === first) {
    return true;
  }
  if (w.plus) {
    return (gap & Kind.Seen) !== Kind.Plus;
  }
  if (isForeign(run, first)) {
    return false;
  }
  const start = groupBefore(run, first);
  const size = first - start;
  const national = w.meaning.form === Form.National;
  if (gap & Kind.Comma) {
    return (gap & Kind.Space) > 0 || size >= longGroup;
  }
  if (!(gap & Kind.Space)) {
    return false;
  }
  if (gap & Kind.Colon) {
    return true;
  }
  if (gap & Kind.Strokes) {
    return !(w.spaced & gap);
  }
  if ((national && size <= 3) || onlySpaces(w) || (compact(w) && national)) {
    const clock = size <= 2 && (run.digits[start].gap & Kind.Colon) > 0;
    return clock || (!national && reaches(run, first, -1));
  }
  return true;
}

/** Whether a country code with a plus sign stands shortly before digit i. */
function isForeign(run: Run, i: number): boolean {
  for (let k = i - 1; k >= 0 && k >= run.matched && i - k <= 5; k--) {
    const { gap } = run.digits[k];
    if (gap & Kind.Outside) {
      return (gap & Kind.Plus) > 0;
    }
  }
  return false;
}

/** Whether the writing is free of what stands behind it. */
function freeRight(run: Run, w: Writing, table: Table): boolean {
  const { digits } = run;
  const { end } = w;
  if (end === digits.length) {
    return freeAfter(run, w);
  }
  const { gap } = digits[end];
  const stop = groupAfter(run, end);
  const space = (gap & Kind.Space) > 0;
  if (gap & (Kind.Wide | Kind.Plus)) {
    return true;
  }
  if (gap & Kind.Comma) {
    return space || w.plus || run.link || stop - end >= longGroup;
  }
  if (gap & Kind.Colon) {
    return space;
  }
  if (gap & (Kind.Space | Kind.Slash) && beginsConfigured(run, end, table)) {
    return true;
  }
  if (gap & Kind.Slash && isEnding(run, w, stop)) {
    return false;
  }
  if (gap & Kind.Strokes) {
    return space && !(w.spaced & gap);
  }
  if (gap & Kind.Open) {
    return true;
  }
  if (!space) {
    return false;
  }
  const national = w.meaning.form === Form.National;
  if (onlySpaces(w) || (compact(w) && national)) {
    const clock = stop - end <= 2 && stop < digits.length && (digits[stop].gap & (Kind.Colon | Kind.Space)) === Kind.Colon;
    return clock || (!national && reaches(run, end, 1));
  }
  return true;
}

/** Whether the group between a writing and `stop` is another ending of the number, and neither a time of day nor "24/7". */
function isEnding(run: Run, w: Writing, stop: number): boolean {
  const { gap = 0 } = run.digits[stop] || {};
  const size = stop - w.end;
  return (
    !(gap & (Kind.Colon | Kind.Slash) && !(gap & Kind.Space)) &&
    (size === w.end - groupBefore(run, w.end) || (compact(w) && size <= maxEnding))
  );
}

/** Whether the digits before i, or from i on, are enough for a number. */
function reaches({ digits }: Run, i: number, step: number): boolean {
  for (let n = 1; n < wholeNumber; n++) {
    const inner = step < 0 ? i - n : i + n;
    if (inner <= 0 || inner >= digits.length || digits[inner].gap & Kind.Outside) {
      return false;
    }
  }
  return true;
}

/** Whether the digits from i on spell a configured number. */
function beginsConfigured(run: Run, i: number, table: Table): boolean {
  const { digits } = run;
  let read = '';
  for (let end = i; end < digits.length && end - i < maxDigits; ) {
    if (end > i && digits[end].gap & Kind.Outside) {
      return false;
    }
    read += digits[end].value;
    if (aligned(run, ++end) && table.has(read)) {
      return true;
    }
  }
  return false;
}

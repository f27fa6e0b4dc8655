import { read } from './character';
import { Kind, maxGap, maxSigns } from './rules';

export interface Digit {
  at: number;
  size: number;
  value: number;
  /** How it was written. */
  zero: number;
  escaped?: boolean;
  /** What stands before it, and where the last plus sign and parenthesis in there are. */
  gap: number;
  plusAt: number;
  openAt: number;
}

/** A row of digits and separators. */
export interface Run {
  text: string;
  link: boolean;
  begin: number;
  digits: Digit[];
  /** Where it was ended by a character, which makes `gap` what is between; -1 where the text or the separators ended it. */
  end: number;
  gap: number;
  /** The first space and the first dash inside. */
  space: string;
  dash: string;
  /** The end of the last match. */
  matched: number;
  /** Where to go on. */
  next: number;
}

/** Gathers the row that begins at i. */
export function gather(text: string, i: number, link: boolean): Run {
  const run: Run = { text, link, begin: i, digits: [], end: -1, gap: 0, space: ' ', dash: '-', matched: -1, next: text.length };
  let signs = 0;
  let width = 0;
  let plusAt = 0;
  let openAt = 0;
  let spaced = false;
  let dashed = false;
  const { digits } = run;
  for (; i < text.length; ) {
    const { kind, size, value, zero, escaped } = read(text, i, link);
    const at = i;
    i += size;
    if (kind === Kind.Figure) {
      digits.push({ at, size, value: value!, zero: zero!, escaped, gap: run.gap, plusAt, openAt });
      run.gap = signs = width = 0;
    } else if (kind === Kind.Tag) {
      run.gap |= kind;
    } else if (kind === Kind.Other) {
      run.end = at;
      run.next = i;
      break;
    } else if (
      (!digits.length && !(kind & (Kind.Plus | Kind.Open | Kind.Space | Kind.Hidden))) ||
      (width += size) > maxGap
    ) {
      run.next = i;
      break;
    } else if (kind !== Kind.Space || !(run.gap & kind)) {
      const char = text.slice(at, i);
      if (kind === Kind.Plus) {
        plusAt = at;
      } else if (kind === Kind.Open) {
        openAt = at;
      } else if (digits.length && kind === Kind.Space && !spaced) {
        spaced = true;
        run.space = char < ' ' ? ' ' : char;
      } else if (digits.length && kind === Kind.Dash && !dashed) {
        dashed = true;
        run.dash = char;
      }
      run.gap |= kind;
      if (kind !== Kind.Hidden && ++signs > maxSigns) {
        run.gap |= Kind.Wide;
      }
    }
  }
  return run;
}

/** Whether the digits before and from i on are separated to the eye. */
export function aligned({ digits }: Run, i: number): boolean {
  return i === digits.length || (digits[i].gap & Kind.Seen) > 0;
}

/** Where the group of digits begins that ends before i. */
export function groupBefore(run: Run, i: number): number {
  do {
    i--;
  } while (i > 0 && !aligned(run, i));
  return i;
}

/** Where the group of digits ends that begins at i. */
export function groupAfter(run: Run, i: number): number {
  do {
    i++;
  } while (!aligned(run, i));
  return i;
}

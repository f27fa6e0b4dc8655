import type { Meaning } from './forms';
import { Kind } from './rules';

/** A candidate: the digits from `first` up to `end`, with their meaning. */
export interface Writing {
  meaning: Meaning;
  first: number;
  end: number;
  /** All that stands between its digits. */
  gaps: number;
  /** Strokes that have a space beside them. */
  spaced: number;
  /** A plus sign leads. */
  plus: boolean;
  /** The parenthesis before the first digit is closed inside. */
  open: boolean;
}

export function compact(w: Writing): boolean {
  return !(w.gaps & Kind.Seen);
}

export function onlySpaces(w: Writing): boolean {
  return (w.gaps & Kind.Seen) === Kind.Space;
}

/** What other figures look like too: no plus sign, and no separators but spaces and dots. */
export function bare(w: Writing): boolean {
  return !w.plus && !w.open && !(w.gaps & Kind.Seen & ~(Kind.Space | Kind.Dot));
}

/** What file names and addresses are made of. */
export function slug(w: Writing): boolean {
  return !w.plus && !(w.gaps & Kind.Seen & ~Kind.Dash);
}

/** Whether what leads to a number dials it: then a country's code needs a plus sign. */
export function dials(lead = ''): boolean {
  return /:$/.test(lead);
}

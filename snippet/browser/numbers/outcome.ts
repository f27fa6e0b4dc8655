import type { Entry } from './places';

/**
 * What the page is told of its numbers, `found` being those that have been replaced on it: what each has become; of one type, `dynamic` or
 * `static`, what has become each of the numbers that are shown.
 */
export function outcome(numbers: Entry[], found: Set<string>, type?: unknown): object {
  const all: Record<string, any> = {};
  for (const { from, raw, dt } of numbers) {
    const id = 'number=' + from;
    if (found.has(from) && type == null) {
      all[id] = raw;
    } else if (found.has(from) && type === (dt ? 'dynamic' : 'static')) {
      all[raw] = [...new Set(all[raw]).add(id)];
    }
  }
  return all;
}

import { leased, take } from './numbers';
import { encode } from './text';
import { request } from './transport';
import type { View } from './view';
import { begin, current } from './views';

/** Milliseconds between two words of a page that is looked at. */
const pause = 60_000;

let timer: ReturnType<typeof setInterval>;

/** The view for which the service has been told last that somebody is here. */
let here: View | undefined;

/** The page has been left. Browsers hide it after that, which says less. */
let left = false;

/** A page that is looked at says so again and again; one that sleeps says so when it wakes. */
export function start(): void {
  timer = setInterval(tell, pause, 'here');
}

export function end(): void {
  clearInterval(timer);
}

/**
 * Tells the service whether somebody is in front of the page. It is told once: the next word follows soon, or the
 * service counts on none.
 */
export function tell(presence: 'here' | 'away' | 'left'): void {
  const looked = presence === 'here';
  if ((looked ? document.hidden : left) || !begin()) {
    return;
  }
  left = presence === 'left';
  for (const view of new Set([looked ? undefined : here, current])) {
    if (view && (view.credentials || !(looked || view.refused))) {
      say(presence, view);
    }
  }
  here = looked ? current : here;
}

/** A page that shows numbers of the visitor's own asks each time which are his now: what it has missed, it does not know. */
async function say(presence: string, view: View): Promise<void> {
  const asked = Date.now();
  const numbers = (presence === 'here' && leased()) || undefined;
  const { data } = await request('presence', encode({ presence, numbers, ...view.keys }));
  if (data.numbers && view === current) {
    take(data.numbers, asked);
  }
}

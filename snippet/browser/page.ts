import { config, globals } from './config';
import { each } from './text';
import type { View } from './view';

/**
 * One run of the script. A page may clear the globals and load the script again, and each load is a
 * run of its own; what a run shows to the ones after it is written here and changes only by addition,
 * since two versions of the script can meet on one page.
 */
export interface Run {
  /** The global object of this run, to see whether the page has cleared it. */
  svc: unknown;
  key: string;
  view?: View;
  /** A page event, or `navigate` after a change of history by script. */
  handle(type: string, event?: Event): void;
  /** Takes what has been queued since. */
  drain(): void;
  /** Sends what is waiting and hands the page over. */
  end(): void;
}

const slot = Symbol.for('svc:' + config.objects[0]);
const place: { run?: Run } = globals[slot] || (globals[slot] = listen({}));

export const previous = place.run;

/** Whether this run is over: what the page does is for the next one. */
export let ended = false;

export function retire(): void {
  ended = true;
}

export function occupy(run: Run): void {
  place.run = run;
}

/**
 * Page events are listened to, and history is wrapped, once in the life of a page, whatever number of
 * runs it sees: the events go to the run that holds the place. There is no `unload` among them, which
 * would cost the page the back-forward cache.
 */
function listen(place: { run?: Run }): { run?: Run } {
  const tell = (type: string, event?: Event): void => {
    try {
      place.run!.handle(type, event);
    } catch {
      // The page's own navigation must not notice us.
    }
  };
  each(['pageshow', 'pagehide', 'popstate', 'hashchange', 'online', 'visibilitychange', 'prerenderingchange'], (type) =>
    addEventListener(type, (event) => tell(type, event), true),
  );
  each(['pushState', 'replaceState'] as const, (name) => {
    const original = history[name];
    try {
      history[name] = function (this: History, ...args: Parameters<typeof original>): void {
        original.apply(this, args);
        tell('navigate');
      };
    } catch {
      // A frozen history still tells of `popstate`.
    }
  });
  return place;
}

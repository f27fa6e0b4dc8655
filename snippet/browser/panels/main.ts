import { desk, type Desk } from './desk';
import type { Core, Part, Widget } from './shell';

/** What v1/widget answers. */
interface Told {
  online: boolean;
  language: string;
  texts: Record<string, string>;
  widget: Widget;
}

/** The panels of one run of the core script. */
interface Run {
  core: Core;
  desk?: Promise<Desk | undefined>;
  over?: boolean;
}

/** Milliseconds between two attempts to learn how the panels look. */
const pauses = [700, 2000];

let run: Run | undefined;

export const show: Part['show'] = async (name, detail, base, key, settings, call, request, online, view) => {
  if (!run || run.core.call !== call) {
    end();
    run = { core: { base, key, settings, call, request, online, view } };
  }
  const now = run;
  now.desk = now.desk || open(now);
  const made = await now.desk;
  if (now.over) {
    return;
  }
  if (made) {
    made[name](detail as never);
  } else {
    now.desk = undefined; // The service did not answer, and the next time counts.
  }
};

async function open(now: Run): Promise<Desk | undefined> {
  const { core } = now;
  const language = document.documentElement.lang || navigator.language;
  for (let attempt = 0; !now.over; attempt++) {
    const { success, data } = await core.request('widget?k=' + encodeURIComponent(core.key) + '&l=' + encodeURIComponent(language));
    if (success && !now.over) {
      const { language: spoken, texts, widget, online } = data as unknown as Told;
      return desk(core, spoken, texts, widget, online);
    }
    if (attempt === pauses.length) {
      break;
    }
    // Pages change Promise: this needs none.
    await { then: (over: () => void) => setTimeout(over, pauses[attempt]) };
  }
  return undefined;
}

export async function end(): Promise<void> {
  const now = run;
  run = undefined;
  if (now) {
    now.over = true;
    const made = await now.desk;
    if (made) {
      made.end();
    }
  }
}

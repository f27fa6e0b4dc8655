import { desk, type Desk } from './desk';
import type { Core, Panels, Widget } from './shell';

/** What v1/widget answers. */
interface Told {
  online: boolean;
  language: string;
  texts: Record<string, string>;
  widget: Widget;
}

let ended: () => void = () => {};

/** Begins with the panels of one run of the core script; those of a run before go. */
function start(core: Core): Panels {
  ended();
  let over = false;
  let made: Promise<Desk | undefined> | undefined;

  async function open(): Promise<Desk | undefined> {
    const language = document.documentElement.lang || navigator.language;
    const { success, data } = await core.request('widget?k=' + encodeURIComponent(core.key) + '&l=' + encodeURIComponent(language));
    const { language: spoken, texts, widget } = data as unknown as Told;
    return success && !over ? desk(core, spoken, texts, widget) : undefined;
  }

  /** Calls the desk, which is made at the first time. While the service does not answer nothing is shown, and the next time counts. */
  const pass =
    (name: keyof Desk) =>
    async (status?: number): Promise<void> => {
      made = made || open();
      const there = await made;
      if (there && !over) {
        there[name](status!);
      } else {
        made = undefined;
      }
    };

  const panels = { launch: pass('launch'), chat: pass('chat'), request: pass('request'), phone: pass('phone'), notice: pass('notice'), end };

  async function end(): Promise<void> {
    if (!over) {
      over = true;
      const there = await made;
      if (there) {
        there.end();
      }
    }
  }
  ended = end;
  return panels;
}

// The core script knows this part by the name alone: either may be of another version.
(window as unknown as Record<symbol, unknown>)[Symbol.for('svc:panels')] = start;

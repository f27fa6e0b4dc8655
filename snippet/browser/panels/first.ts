import { encode } from '../text';
import type { Core } from './shell';

/** Milliseconds on a page before it is first asked whether an operator has written, and between two questions. */
const soon = 5000;
const pause = 20_000;

/**
 * Calls `heard` with the conversation that an operator has begun, once. It is asked for while the page is looked at, somebody is
 * there, and `wanted` says so. It returns what ends it.
 */
export function firstWord(core: Core, wanted: () => boolean, heard: (conversation: number) => void): () => void {
  let timer = setTimeout(ask, soon);

  async function ask(): Promise<void> {
    timer = setTimeout(ask, pause);
    const view = core.view();
    if (!document.hidden && view && view.credentials && wanted() && core.online()) {
      const { success, data } = await core.request('chat', encode({ ...view.keys, after: 1e15 }));
      const { id, state } = Object(success && data.conversation);
      if (state === 'open') {
        clearTimeout(timer);
        heard(id);
      }
    }
  }

  return () => clearTimeout(timer);
}

import { newBlocks } from './blocks';
import { type Group, learn, type Table } from './forms';
import { isHydrating, settled } from './hydration';
import { type Change, readBlock } from './page';
import { elementsOf, type Entry, fill, placesOf } from './places';
import { rewrite } from './rewrite';
import { consulted, type Replaced, undoing, undoPlaces } from './undo';

/** What the page carries when numbers are in effect on it. */
export interface Block {
  numbers: (Entry & { forms?: Group[] })[];
  replaced: Replaced[];
}

/** What the core script gets back. */
export interface Work {
  /** Goes on in what is added to the page, or does so no longer. */
  watch(on: unknown): void;
  end(): void;
}

/** Nodes that are looked at before the page is given time to draw. */
const portion = 2000;

/**
 * Replaces what the server has left of the page's numbers, or brings the old ones back if the page, when it is
 * asked, says no. It works on blocks, one after the other, a portion in each frame. `found` takes the numbers, in
 * international form, that have been replaced.
 */
export function start({ numbers, replaced }: Block, ask: () => boolean, found: Set<string>): Work {
  const undo = !consulted(ask);
  const table: Table = new Map();
  for (const { from, forms } of numbers) {
    // What may stand in another number's place already is not to be replaced once more.
    const placed = !undo && numbers.some((other) => other.raw === from && other.from !== from);
    learn(table, from, (forms || []).map((group) => (placed ? (group.slice(0, 3) as unknown as Group) : group)));
  }
  const change: Change = undo ? undoing(table, replaced) : (text, lead) => rewrite(text, table, lead, (number) => found.add(number));
  const places = undo ? [] : placesOf(numbers, table);
  for (const { id, from } of undo ? [] : numbers) {
    if (replaced.some(([place]) => place === id)) {
      found.add(from);
    }
  }
  const blocks = newBlocks();
  let frame = 0;
  let ready = false;
  let ended = false;
  let watching = false;

  const observer = new MutationObserver((records) => {
    records.forEach(take);
    schedule();
  });
  function take({ target, addedNodes }: MutationRecord): void {
    blocks.addLine(target);
    addedNodes.forEach(blocks.add);
  }
  function schedule(): void {
    frame = frame || requestAnimationFrame(work);
  }
  function work(): void {
    frame = 0;
    if (!ready || ended) {
      return;
    }
    try {
      round();
    } catch {
      // Whatever the page has done to itself: it must not notice us.
      ended = true;
    }
  }
  function round(): void {
    observer.takeRecords().forEach(take);
    for (let left = portion; left > 0 && !blocks.empty; ) {
      const block = blocks.next();
      left -= block ? readBlock(block, change) : 1;
    }
    if (blocks.empty) {
      for (const place of places) {
        if (elementsOf(place.id).filter((element) => fill(element, place)).length) {
          found.add(place.from);
        }
      }
    }
    // What this has changed itself is no news.
    observer.takeRecords();
    if (!blocks.empty) {
      schedule();
    }
  }
  function begin(): void {
    ready = true;
    if (undo && !ended) {
      undoPlaces(replaced);
    }
    blocks.add(document.documentElement);
    work();
  }
  if (isHydrating()) {
    settled(begin);
  } else {
    begin();
  }

  return {
    watch(on) {
      if (watching === (!!on && !undo)) {
        return;
      }
      watching = !watching;
      observer.disconnect();
      if (watching) {
        observer.observe(document, {
          childList: true,
          subtree: true,
          characterData: true,
          attributeFilter: ['alt', 'aria-label', 'content', 'href', 'src', 'title'],
        });
        blocks.add(document.documentElement);
        schedule();
      }
    },
    end() {
      ended = true;
      observer.disconnect();
    },
  };
}

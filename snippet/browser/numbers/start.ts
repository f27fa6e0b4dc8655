import { newBlocks } from './blocks';
import { tailsOf } from './character';
import { formsOf, type Group, learn, reverse, type Table } from './forms';
import { isHydrating, settled } from './hydration';
import { idle } from './idle';
import { observed } from './observed';
import { outcome } from './outcome';
import { beginRound, type Change, patience, putBack } from './page';
import { elementsOf, type Entry, fill, placesOf } from './places';
import { rewrite } from './rewrite';
import { findAdded, findRoots, hearAttaching, isDocument, listen, type Root, roots } from './roots';
import { calls } from './rules';
import { consulted, type Replaced, undoing, undoPlaces } from './undo';

/** What is told of a number, or of a place that shows it. */
export type Issued = Entry & { forms?: Group[]; messengers?: boolean; template?: boolean };

/** What the page carries when numbers are in effect on it, and what is in effect now. */
export interface Block {
  numbers: Issued[];
  replaced: Replaced[];
  /** Those that the server has replaced by: the same object, unless others are in effect meanwhile. */
  served?: Issued[];
}

/** A record as the page gets it. */
export type Phone = Pick<Entry, 'id' | 'img' | 'text' | 'raw' | 'dt'>;

/** What the core script gets back. */
export interface Work {
  /** Goes on in what is added to the page, or does so no longer. It goes on where the page has not said anything. */
  watch(on?: unknown): void;
  /**
   * What has been replaced on the page, by numbers as it carried them: what each has become; of one type, `dynamic` or `static`,
   * what has become each of the numbers that are shown.
   */
  replaced(type?: unknown): object;
  end(): void;
}

/** Milliseconds between two looks at the clock. */
const tick = 5000;

/** Nodes that are looked at before the page is given time to draw. */
const portion = 4000;

/** The numbers that the page shows by the run before, and the work of that run. */
let last: Issued[] | undefined;
let before: Work | undefined;

/** The numbers, in international form, that have been replaced on the page. */
const found = new Set<string>();

/** Calls `make` when its value is wanted for the first time. Most pages show no number that the server has not replaced. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made = made || make());
}

function tableOf(numbers: Issued[], undo: boolean): Table {
  const table: Table = new Map();
  for (const { from, forms, text, template } of numbers) {
    // What may stand in another number's place already is not to be replaced once more.
    const placed = !undo && numbers.some((other) => other.raw === from && other.from !== from);
    learn(
      table,
      from,
      (forms || []).map((group) => (placed ? (group.slice(0, 3) as unknown as Group) : group)),
      (template && !placed && text) || undefined,
    );
  }
  return table;
}

/**
 * Replaces what the server has left of the page's numbers; brings the old ones back if the page, when it is asked, says no;
 * and where other numbers than the served ones, or than those of the run before, are in effect, puts them in their places. It
 * begins when the page is idle, or at once if it is not the first run, and works a portion in each frame. The run
 * before ends. `look` is called every few seconds while numbers of the visitor's own are shown: a page that has slept does not hear
 * of it otherwise.
 */
export function start({ numbers, replaced, served = numbers }: Block, ask: () => boolean, look?: () => unknown): Work {
  if (before) {
    before.end();
  }
  const undo = !consulted(ask);
  const restoring = undo || served !== numbers;
  const shown = undo ? [] : numbers;
  const table = lazily(() => tableOf(shown, false));
  const back = reverse(tableOf(restoring ? served : [], true));
  const restore = undoing(back, replaced);
  const write: Change = (text, lead) => rewrite(text, table(), lead, (number) => found.add(number));
  const messengers = numbers.concat(served).some((number) => number.messengers);
  const change: Change = (text, lead) =>
    lead && !messengers && !calls.test(lead) ? text : write(restoring ? restore(text, lead) : text, lead);
  const places = placesOf(shown, table, messengers);
  if (undo || last !== numbers) {
    found.clear();
  }
  for (const { id, from } of restoring ? [] : numbers) {
    if (replaced.some(([place]) => place === id)) {
      found.add(from);
    }
  }
  const fresh = restoring ? served.map(({ raw }) => raw) : [];
  const blocks = newBlocks(tailsOf([...formsOf(shown), ...back.keys(), ...fresh]));
  const clock = numbers.some(({ lasts }) => lasts) && look ? setInterval(look, tick) : 0;
  let frame = 0;
  let ready = false;
  let ended = false;
  let watching = false;

  /** Something has been added since roots and frames were looked for. */
  let grown = false;

  /** What the page changes at once when this has changed something is its answer to that. How often each place has answered. */
  let answering = false;
  const answers = new WeakMap<Node, number>();

  const observer = new MutationObserver((records) => {
    if (answering) {
      new Set(records.map(({ target }) => target)).forEach((target) => answers.set(target, (answers.get(target) || 0) + 1));
    }
    records.filter(({ target }) => !answering || answers.get(target)! <= patience).forEach(take);
    schedule();
  });
  function take({ target, addedNodes, attributeName }: MutationRecord): void {
    if (attributeName) {
      blocks.addAttributes(target as Element);
    } else {
      blocks.addLine(target);
      addedNodes.forEach(blocks.add);
      grown = grown || addedNodes.length > 0;
    }
  }
  function lookThrough(root: Root): void {
    blocks.add(isDocument(root) ? root.documentElement : root);
    findRoots(root);
    grown = true;
  }
  function observe(root: Root): void {
    observer.observe(root, observed);
    if (isDocument(root)) {
      hearAttaching(root.defaultView!);
    }
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
    beginRound();
    observer.takeRecords().forEach(take);
    if (grown) {
      grown = false;
      findAdded();
    }
    for (let left = portion; left > 0 && !blocks.empty; ) {
      left -= blocks.step(change);
    }
    if (blocks.empty) {
      for (const place of places) {
        if (elementsOf(place.id).filter((element) => fill(element, place)).length) {
          found.add(place.from);
        }
      }
    }
    // What this has changed itself is no news.
    if (observer.takeRecords().length) {
      answering = true;
      setTimeout(() => (answering = false));
    }
    if (!blocks.empty) {
      schedule();
    }
  }
  function begin(): void {
    if (ended) {
      return;
    }
    ready = true;
    if (undo || (last && last !== numbers)) {
      putBack();
    }
    if (restoring) {
      undoPlaces(replaced);
    }
    last = numbers;
    listen((root) => {
      if (watching) {
        observe(root);
      }
      if (!ended) {
        lookThrough(root);
        schedule();
      }
    });
    roots().forEach(lookThrough);
    work();
  }
  if (last) {
    begin();
  } else if (isHydrating(document)) {
    settled(begin);
  } else {
    idle(begin);
  }

  return (before = {
    watch(on = true) {
      if (watching === (!!on && !undo)) {
        return;
      }
      watching = !watching;
      observer.disconnect();
      if (watching) {
        roots().forEach(observe);
        if (ready) {
          roots().forEach(lookThrough);
          schedule();
        }
      }
    },
    replaced: (type) => outcome(numbers, found, type),
    end() {
      ended = true;
      watching = false;
      clearInterval(clock);
      observer.disconnect();
    },
  });
}

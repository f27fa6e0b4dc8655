import { attributesOf, batch, type Block, blockOf, isElement, type Source, textsOf } from './page';
import { mark } from './rules';

/** Blocks of the page, and elements for their attributes, in which a number may stand. */
export interface Blocks {
  /** All that is in the node. The line that it stands in is another matter. */
  add(node: Node): void;
  /** The block that the node stands in. */
  addLine(node: Node): void;
  addAttributes(element: Element): void;
  /** The next block or carrier of attributes; none of the two when a batch of nodes has been looked at in vain. */
  next(): { block?: Block; carrier?: Element };
  readonly empty: boolean;
}

/** As many nodes are looked at once more with the next ones: a number may stand in both. */
const overlap = 16;

/**
 * Most of a page shows no number. So its texts and attributes are read once each and joined, and the browser itself searches them for
 * what `suspect` matches; only where it does are lines put together. Subtrees are walked when their turn comes, so that it costs
 * nothing to add a large one.
 */
export function newBlocks(suspect: RegExp): Blocks {
  const lines = new Set<Block>();
  const carriers = new Set<Element>();
  const sources: Source[] = [];
  let nodes: Node[] = [];
  let values: string[] = [];

  const addLine = (node: Node): void => {
    const block = blockOf(node);
    if (block) {
      lines.add(block);
    }
  };
  function look(): void {
    nodes = nodes.slice(-overlap);
    values = values.slice(-overlap);
    while (sources.length && nodes.length < batch) {
      if (!sources[0](nodes, values, carriers)) {
        sources.shift();
      }
    }
    const words = values.join(mark);
    let end = 0;
    let n = 0;
    suspect.lastIndex = 0;
    for (let found; (found = suspect.exec(words)); ) {
      while (end <= found.index) {
        end += values[n++].length + mark.length;
      }
      suspect.lastIndex = found.index + 1; // The next digits may be the end of this one and the beginning of another.
      const node = nodes[n - 1];
      if (isElement(node)) {
        carriers.add(node);
      } else {
        addLine(node);
      }
    }
    if (!sources.length) {
      nodes = values = [];
    }
  }
  return {
    add(node) {
      if ((node as Partial<ParentNode>).querySelectorAll) {
        sources.push(textsOf(node), attributesOf(node as Node & ParentNode));
      }
    },
    addLine,
    addAttributes(element) {
      carriers.add(element);
    },
    next() {
      if (!lines.size && !carriers.size && sources.length) {
        look();
      }
      const block = takeFrom(lines);
      return { block, carrier: block ? undefined : takeFrom(carriers) };
    },
    get empty() {
      return !lines.size && !carriers.size && !sources.length;
    },
  };
}

function takeFrom<T>(all: Set<T>): T | undefined {
  for (const one of all) {
    all.delete(one);
    return one;
  }
  return undefined;
}

import { attributesOf, blockOf, textsOf } from './page';
import { mark } from './rules';

/** Blocks and attributes of the page in which a number may stand. */
export interface Blocks {
  /** All that is in the node, and the line that it stands in. */
  add(node: Node): void;
  /** The block that the node stands in. */
  addLine(node: Node): void;
  addAttribute(attribute: Attr): void;
  /** The next one; nothing when some nodes have been looked at in vain. */
  next(): Element | Attr | undefined;
  readonly empty: boolean;
}

/** Nodes that are looked at together. */
export const batch = 1000;

/** As many of them are looked at once more with the next ones: a number may stand in both. */
const overlap = 16;

/**
 * Most of a page shows no number. So its texts and attributes are read once each and joined, and the browser itself searches them for
 * what `suspect` matches; only where it does are lines put together. Links are few, and may write digits otherwise. Subtrees are walked when their turn comes, so that it costs
 * nothing to add a large one.
 */
export function newBlocks(suspect: RegExp): Blocks {
  const lines = new Set<Element>();
  const attributes = new Set<Attr>();
  const walks: (() => Node | null)[] = [];
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
    while (walks.length && nodes.length < batch) {
      const node = walks[0]();
      const value = node && node.nodeValue;
      if (!node) {
        walks.shift();
      } else if (node.nodeName === 'href') {
        attributes.add(node as Attr);
      } else if (value) {
        nodes.push(node);
        values.push(value);
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
      const node = nodes[n - 1];
      if (node instanceof Attr) {
        attributes.add(node);
      } else {
        addLine(node);
      }
    }
    if (!walks.length) {
      nodes = values = [];
    }
  }
  return {
    add(node) {
      addLine(node);
      if (node instanceof Element) {
        walks.push(textsOf(node), ...attributesOf(node));
      }
    },
    addLine,
    addAttribute(attribute) {
      attributes.add(attribute);
    },
    next() {
      if (!lines.size && !attributes.size && walks.length) {
        look();
      }
      return takeFrom(lines) || takeFrom(attributes);
    },
    get empty() {
      return !lines.size && !attributes.size && !walks.length;
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

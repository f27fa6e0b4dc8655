import { blockOf, isBlock } from './page';

/** Blocks of the page whose lines are still to be read. */
export interface Blocks {
  /** The block that the node stands in, and all that are in the node. */
  add(node: Node): void;
  /** The block that the node stands in. */
  addLine(node: Node): void;
  next(): Element | undefined;
  readonly empty: boolean;
}

/** Subtrees are walked when their turn comes, so that it costs nothing to add a large one. */
export function newBlocks(): Blocks {
  const lines = new Set<Element>();
  const walks: TreeWalker[] = [];
  const addLine = (node: Node): void => {
    const block = blockOf(node);
    if (block) {
      lines.add(block);
    }
  };
  return {
    add(node) {
      addLine(node);
      if (node instanceof Element && node.firstElementChild) {
        walks.push(
          document.createTreeWalker(node, NodeFilter.SHOW_ELEMENT, (element) =>
            isBlock(element as Element) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP,
          ),
        );
      }
    },
    addLine,
    next() {
      for (const line of lines) {
        lines.delete(line);
        return line;
      }
      for (; walks.length; walks.shift()) {
        const found = walks[0].nextNode();
        if (found) {
          return found as Element;
        }
      }
      return undefined;
    },
    get empty() {
      return !lines.size && !walks.length;
    },
  };
}

import { attributesOf, type Block, blockOf, type Change, changeAttributes, isElement, readBlock, textsOf } from './page';

/** Blocks of the page, and elements for their attributes, in which a number may stand. */
export interface Blocks {
  /** All that is in the node. The line that it stands in is another matter. */
  add(node: Node): void;
  /** The block that the node stands in. */
  addLine(node: Node): void;
  addAttributes(element: Element): void;
  /** Changes the next block or the next attributes, or searches for some. Gives the nodes that it has looked at. */
  step(change: Change): number;
  readonly empty: boolean;
}

/** Elements of a tree that is searched at once. A larger one is searched child by child. */
const most = 15_000;

/**
 * Most of a page shows no number. So the browser itself joins the texts of a tree and searches them for what `suspect` matches. Only
 * where it does are texts walked, and lines put together. A tree is searched when its turn comes, so that it costs nothing to add a
 * large one.
 */
export function newBlocks(suspect: RegExp): Blocks {
  const lines = new Set<Block>();
  const carriers = new Set<Element>();
  const trees: Tree[] = [];

  const addLine = (node: Node): void => {
    const block = blockOf(node);
    if (block) {
      lines.add(block);
    }
  };
  const add = (node: Node): void => {
    const last = trees[trees.length - 1];
    // A page that writes a tree at once tells of it, and of all that is in it.
    if ((node as Partial<Tree>).querySelectorAll && !(last && last.contains(node))) {
      trees.push(node as Tree);
    }
  };
  const addAttributes = (element: Element): void => {
    carriers.add(element);
  };
  function searchTexts(tree: Node): void {
    const words = tree.textContent!;
    const walk = textsOf(tree);
    let end = 0;
    suspect.lastIndex = 0;
    for (let found; (found = suspect.exec(words)); ) {
      suspect.lastIndex = found.index + 1; // The next digits may be the end of this one and the beginning of another.
      while (end <= found.index && walk.nextNode()) {
        end += (walk.currentNode as Text).length;
      }
      addLine(walk.currentNode);
    }
  }
  function searchAttribute(element: Element, value: string): void {
    suspect.lastIndex = 0;
    if (value.includes('%') || suspect.test(value)) {
      addAttributes(element); // A link may write its digits otherwise.
    }
  }
  /** Searches the next tree, or divides it. Gives the elements that it has looked at, and some for the search itself. */
  function look(): number {
    const tree = trees.shift()!;
    const size = 5 + tree.querySelectorAll('*').length;
    if (size > most) {
      addLine(tree);
      if (isElement(tree)) {
        addAttributes(tree);
      }
      let seen: Node | null = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
      while (seen && seen.parentNode !== tree) {
        seen = seen.parentNode;
      }
      tree.childNodes.forEach((child) => child === seen || add(child));
      if (seen) {
        trees.unshift(seen as Element); // What is in the middle of the window comes first.
      }
      return most;
    }
    searchTexts(tree);
    attributesOf(tree, searchAttribute);
    return size;
  }
  return {
    add,
    addLine,
    addAttributes,
    step(change) {
      const block = takeFrom(lines);
      const carrier = block ? undefined : takeFrom(carriers);
      if (carrier) {
        changeAttributes(carrier, change);
      }
      return block ? readBlock(block, change) : carrier ? 1 : look();
    },
    get empty() {
      return !lines.size && !carriers.size && !trees.length;
    },
  };
}

type Tree = Node & ParentNode;

function takeFrom<T>(all: Set<T>): T | undefined {
  for (const one of all) {
    all.delete(one);
    return one;
  }
  return undefined;
}

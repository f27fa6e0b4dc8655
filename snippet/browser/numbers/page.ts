import { breaking, linked, links, mark } from './rules';

/** Changes a text, or the number behind a link's lead; what it gives back is the same where there is nothing to change. */
export type Change = (text: string, lead?: string) => string;

/** Nothing is ever replaced here, nor in what is inside. */
export const forbidden =
  'script,style,textarea,select,option,datalist,noscript,template,iframe,[contenteditable]:not([contenteditable=false i]),[data-svc-noswap]';

/** And here nothing but targets: it is read by machines. */
const untouched = forbidden + ',[itemprop]:not([itemscope])';

export function isBlock(element: Element): boolean {
  return breaking.has(element.localName.toLowerCase());
}

/** The element whose line the node stands in; none outside of the document. */
export function blockOf(node: Node | null): Element | null {
  while (node && (!(node instanceof Element) || !isBlock(node))) {
    node = node.parentNode;
  }
  return node as Element | null;
}

/** Nodes that are looked at together. */
export const batch = 1000;

/** Adds texts, and elements for the values of attributes, to the two lists, until they hold a batch. Whether there may be more. */
export type Source = (nodes: Node[], values: string[]) => boolean;

/** The texts in an element. */
export function textsOf(element: Element): Source {
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  return (nodes, values) => {
    for (let node: Node | null; nodes.length < batch; ) {
      if (!(node = walk.nextNode())) {
        return false;
      }
      nodes.push(node);
      values.push((node as Text).data);
    }
    return true;
  };
}

/** What is read of attributes, links apart: their elements and names. */
const readable = [
  ['[alt]', 'alt'],
  ['[title]', 'title'],
  ['[aria-label]', 'aria-label'],
  ['meta[name=description i][content]', 'content'],
];

/** The attributes of an element and of those in it that are read. */
export function attributesOf(element: Element): Source[] {
  return readable.map(([selector, name]) => {
    let found: Element[] | undefined;
    let n = 0;
    return (nodes, values) => {
      found = found || elementsIn(element, selector);
      for (; n < found.length && nodes.length < batch; n++) {
        nodes.push(found[n]);
        values.push(found[n].getAttribute(name)!);
      }
      return n < found.length;
    };
  });
}

/** The elements, itself and in it, with links that call a number. These are few, and may write digits otherwise. */
export function linksOf(element: Element): Element[] {
  return elementsIn(element, linked);
}

function elementsIn(element: Element, selector: string): Element[] {
  const found = Array.from(element.querySelectorAll(selector));
  return element.matches(selector) ? [element, ...found] : found;
}

/** Reads the lines that an element itself has. Gives the nodes that it has looked at. */
export function readBlock(block: Element, change: Change): number {
  if (block.closest(untouched)) {
    return 1;
  }
  let looked = 0;
  let line: Text[] = [];
  const flush = (): void => {
    changeLine(line, change);
    line = [];
  };
  const flow = (element: Element): void => {
    for (let child = element.firstChild; child; child = child.nextSibling) {
      looked++;
      if (child instanceof Text) {
        line.push(child);
      } else if (child instanceof Element) {
        if (isBlock(child) || child.matches(untouched)) {
          flush();
        } else {
          flow(child);
        }
      }
    }
  };
  flow(block);
  flush();
  return looked + 1;
}

/** Changes texts that stand on one line. */
export function changeLine(line: Text[], change: Change): void {
  const nodes = line.filter(({ data }) => data);
  const text = nodes.map(({ data }) => data).join(mark);
  const pieces = change(text).split(mark);
  // A character that looks like the mark is no reason to change anything.
  if (pieces.length === nodes.length) {
    putAll(nodes, pieces);
  }
}

/** Changes the attributes of an element that are read. */
export function changeAttributes(element: Element, change: Change): void {
  if (element.closest(untouched)) {
    return;
  }
  for (const [selector, name] of readable) {
    if (element.matches(selector)) {
      const node = element.getAttributeNode(name)!;
      putAll([node], [change(node.value)]);
    }
  }
  const href = linkOf(element);
  if (href) {
    putAll([href], [href.value.replace(links, (_, lead, number) => lead + change(number, lead))]);
  }
}

export function linkOf(element: Element): Attr | null {
  return /^(a|area)$/.test(element.localName) ? element.getAttributeNode('href') : null;
}

interface Overwritten {
  /** How often the page has put it back. */
  again: number;
  /** When it was written over the last time: the round, and milliseconds of the clock. */
  round: number;
  at: number;
}

/** What was written over in an element's texts and attributes. Pages put new nodes into the same element. */
const written = new WeakMap<Node, Map<string, Overwritten>>();

/** Times that a page may put the same old text back into the same place, one shortly after the other; then it has its way. */
export const patience = 5;

/** Milliseconds that are shortly after. */
const shortly = 1000;

/** What is written in one round counts once: an element may show the same text in several places. */
let round = 0;

export function beginRound(): void {
  round++;
}

/** Old texts that are remembered of an element. */
const memory = 50;

function placeOf(node: Node): Map<string, Overwritten> {
  const place = (node as Attr).ownerElement || node.parentNode || node;
  let texts = written.get(place);
  if (!texts || texts.size > memory) {
    written.set(place, (texts = new Map()));
  }
  return texts;
}

function nameOf(node: Node): string {
  return node.nodeName + mark + node.nodeValue;
}

/** Lets the page have its way at once with the texts and attributes of a node, as they are now. */
export function leave(node: Node | null): void {
  if (node) {
    placeOf(node).set(nameOf(node), { again: patience, round: -1, at: Infinity });
    node.childNodes.forEach(leave);
    Array.from((node as Partial<Element>).attributes || []).forEach(leave);
  }
}

/** Writes the values into texts or attributes, all or none of them. */
export function putAll(nodes: Node[], values: string[]): boolean {
  const changed = nodes.filter((node, i) => node.nodeValue !== values[i]);
  const now = Date.now();
  const fought = changed.some((node) => {
    const last = placeOf(node).get(nameOf(node));
    return last && last.again >= patience && last.round !== round && now - last.at < shortly;
  });
  if (!changed.length || fought) {
    return false;
  }
  nodes.forEach((node, i) => {
    if (node.nodeValue !== values[i]) {
      const last = placeOf(node).get(nameOf(node));
      const again = last && now - last.at < shortly ? last.again + (last.round === round ? 0 : 1) : 0;
      placeOf(node).set(nameOf(node), { again, round, at: now });
      node.nodeValue = values[i];
    }
  });
  return true;
}

import { breaking, linked, links, mark } from './rules';

/** Changes a text, or the number behind a link's lead; what it gives back is the same where there is nothing to change. */
export type Change = (text: string, lead?: string) => string;

/** Nothing is ever replaced here, nor in what is inside. */
export const forbidden =
  'script,style,textarea,select,option,datalist,noscript,template,iframe,[contenteditable]:not([contenteditable=false i]),[data-svc-noswap]';

/** And here nothing but targets: it is read by machines. */
export const untouched = forbidden + ',[itemprop]:not([itemscope])';

/** Nodes of frames are of classes of another window. */
export function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}

export function isText(node: Node): node is Text {
  return node.nodeType === Node.TEXT_NODE;
}

/** Text stands on lines of blocks, or of a shadow root. */
export type Block = Element | ShadowRoot;

export function isBlock(element: Element): boolean {
  return breaking.has(element.localName.toLowerCase());
}

/** The block whose line the node stands in; none outside of the document. */
export function blockOf(node: Node | null): Block | null {
  while (node && !(isElement(node) ? isBlock(node) : (node as Partial<ShadowRoot>).host)) {
    node = node.parentNode;
  }
  return node as Block | null;
}

function isUntouched(node: Block): boolean {
  return node.ownerDocument.designMode === 'on' || (isElement(node) && !!node.closest(untouched));
}

/** What is read of attributes, links apart. */
const readable = ['alt', 'title', 'aria-label', 'content'];
const described = 'meta[name=description i]';

/** Gives the texts in a tree one after the other. */
export function textsOf(tree: Node): TreeWalker {
  return document.createTreeWalker(tree, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_CDATA_SECTION);
}

/** Tells of the attributes of a tree that are read, and of those of its root. To ask each element for all of them would take twice as long. */
export function attributesOf(tree: Node & ParentNode, tell: (element: Element, value: string) => void): void {
  const look = (name: string, selector = '[' + name + ']'): void => {
    const ask = (element: Element): void => {
      const value = element.getAttribute(name);
      if (value) {
        tell(element, value);
      }
    };
    if (isElement(tree)) {
      ask(tree);
    }
    tree.querySelectorAll(selector).forEach(ask);
  };
  readable.forEach((name) => look(name, name === 'content' ? described : undefined));
  look('href', linked);
}

/** Reads the lines that an element itself has. Gives the nodes that it has looked at. */
export function readBlock(block: Block, change: Change): number {
  if (isUntouched(block)) {
    return 1;
  }
  let looked = 0;
  let line: Text[] = [];
  const flush = (): void => {
    changeLine(line, change);
    line = [];
  };
  const flow = (tree: Node): void => {
    for (let child = tree.firstChild; child; child = child.nextSibling) {
      looked++;
      if (isText(child)) {
        line.push(child);
      } else if (isElement(child)) {
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
  if (isUntouched(element)) {
    return;
  }
  for (const name of readable) {
    const node = element.getAttributeNode(name);
    if (node && (name !== 'content' || element.matches(described))) {
      putAll([node], [change(node.value)]);
    }
  }
  changeLink(element, (lead, number) => change(number, lead));
}

/** The address of a link; null where there is none. */
export function linkOf(element: Element): string | null {
  return /^(a|area)$/.test(element.localName) ? element.getAttribute('href') : null;
}

/** Changes the number that a link calls. Whether there was anything to change. */
export function changeLink(element: Element, change: (lead: string, number: string) => string): boolean {
  const href = linkOf(element);
  return (
    !!href && putAll([element.getAttributeNode('href')!], [href.replace(links, (_, lead, number) => lead + change(lead, number))])
  );
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

/** What stood in the texts and attributes that were written over, and what was written. */
const changes = new Map<Node, [old: string, fresh: string]>();

/** As many are kept before those are let go of that the page has dropped. */
let room = 1000;

function note(node: Node, fresh: string): void {
  const before = changes.get(node);
  changes.set(node, [before && before[1] === node.nodeValue ? before[0] : node.nodeValue!, fresh]);
  if (changes.size > room) {
    changes.forEach((_, node) => (((node as Attr).ownerElement || node).isConnected && node.ownerDocument!.defaultView) || changes.delete(node));
    room = 1000 + 2 * changes.size;
  }
}

/** Brings back what stood there before, but for what the page has changed itself. */
export function putBack(): void {
  changes.forEach(([old, fresh], node) => {
    if (node.nodeValue === fresh) {
      node.nodeValue = old;
    }
  });
  changes.clear();
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
      note(node, values[i]);
      node.nodeValue = values[i];
    }
  });
  return true;
}

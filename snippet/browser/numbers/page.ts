import { breaking, links, mark } from './rules';

/** Changes a text, or the number behind a link's lead; what it gives back is the same where there is nothing to change. */
export type Change = (text: string, lead?: string) => string;

/** Nothing is ever replaced here, nor in what is inside. */
export const forbidden =
  'script,style,textarea,select,option,datalist,noscript,template,iframe,[contenteditable]:not([contenteditable=false i]),[data-svc-noswap]';

/** And here nothing but targets: it is read by machines. */
const untouched = forbidden + ',[itemprop]:not([itemscope])';

export function isBlock(element: Element): boolean {
  return breaking.test(element.localName);
}

/** The element whose line the node stands in; none outside of the document. */
export function blockOf(node: Node | null): Element | null {
  while (node && (!(node instanceof Element) || !isBlock(node))) {
    node = node.parentNode;
  }
  return node as Element | null;
}

/** Reads the lines that an element itself has, and the attributes in them. Gives the nodes that it has looked at. */
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
    changeAttributes(element, change);
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

function changeAttributes(element: Element, change: Change): void {
  const name = element.localName;
  const names =
    name === 'meta' && /^description$/i.test(element.getAttribute('name') || '') ? ['content'] : ['alt', 'title', 'aria-label'];
  for (const attribute of names) {
    const node = element.getAttributeNode(attribute);
    if (node && node.value) {
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

/** What was written over in a node, and how often the page has put that back. */
const written = new WeakMap<Node, { over: string | null; again: number }>();

/** Times that a page may put the same old text back into a node; then it has its way. */
const patience = 5;

/** Lets the page have its way at once with the texts and attributes of a node, as they are now. */
export function leave(node: Node | null): void {
  if (node) {
    written.set(node, { over: node.nodeValue, again: patience });
    node.childNodes.forEach(leave);
    Array.from((node as Partial<Element>).attributes || []).forEach(leave);
  }
}

/** Writes the values into texts or attributes, all or none of them. */
export function putAll(nodes: Node[], values: string[]): boolean {
  const changed = nodes.filter((node, i) => node.nodeValue !== values[i]);
  const fought = changed.some((node) => {
    const last = written.get(node);
    return last && last.over === node.nodeValue && last.again >= patience;
  });
  if (!changed.length || fought) {
    return false;
  }
  nodes.forEach((node, i) => {
    const over = node.nodeValue;
    if (over !== values[i]) {
      const last = written.get(node);
      written.set(node, { over, again: last && last.over === over ? last.again + 1 : 0 });
      node.nodeValue = values[i];
    }
  });
  return true;
}

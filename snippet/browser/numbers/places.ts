import type { Table } from './forms';
import { type Block, blockOf, changeLink, forbidden, isBlock, isElement, isText, putAll } from './page';
import { roots } from './roots';
import { calls, mark } from './rules';
import { dials } from './writing';

/** A number as the page's block tells it. Records of targets and pictures stand beside those of numbers. */
export interface Entry {
  id: string;
  from: string;
  raw: string;
  text: string | null;
  img: string | null;
  dt: boolean;
  /** Tells a number of a pool: it is shown for a while after the last that is heard of the visitor. */
  lasts?: number;
}

/** Elements whose content is a number, or that are a picture of one. */
export interface Place extends Entry {
  /** What is written where it is not the number in another writing. */
  shown: string;
  /** The digits of all that is written for the number. */
  known: Set<string>;
  /** Links that write to the number change as those that call it. */
  messengers: boolean;
}

export function placesOf(numbers: Entry[], table: () => Table, messengers: boolean): Place[] {
  return numbers.filter(({ id }) => !isNumber(id)).map((entry) => {
    const { from, raw, text } = entry;
    const shown = text || numbers.filter((other) => other.from === from).map((other) => other.text).find(Boolean) || raw;
    const known = new Set(['', raw, digitsOf(shown)]);
    table().forEach(({ number, poured, text, compact }) => {
      if (number === from) {
        [poured || '', text, compact].forEach((writing) => known.add(digitsOf(writing)));
      }
    });
    return { ...entry, shown, known, messengers };
  });
}

export function isNumber(id: string): boolean {
  return /^number=/.test(id);
}

/** The elements that a target, a picture or a selector names. */
export function elementsOf(id: string): Element[] {
  const [, kind, name] = /^([#.])([^\s.#[\]()>+~:,*"'=<>&\\]+)$/.exec(id) || [];
  const selector = kind
    ? kind + CSS.escape(name)
    : id.replace(/^\[name=["']?([^"'\]]*)["']?\]$/, (_, name) => `[name=${CSS.escape(name)}]`);
  try {
    return roots().flatMap((root) => Array.from(root.querySelectorAll(selector)).filter((element) => !element.closest(forbidden)));
  } catch {
    return []; // a selector that the server knows and this browser does not
  }
}

/** Makes the place show the number where it does not yet. Whether anything was changed. */
export function fill(element: Element, place: Place): boolean {
  if (place.img) {
    return picture(element, place.img, place.shown);
  }
  const linked = fillLink(element, place);
  return fillText(element, place) || linked;
}

/** A row of digits that people would call. */
const otherWriting = /[+(]{0,2}\d(?:[\s().\-/\xa0\u2000-\u2015\u202f]{0,4}\d){4,}/g;

function digitsOf(writing: string): string {
  return writing.replace(/\D/g, '');
}

/** The link of a place calls the number, whatever it called. */
function fillLink(element: Element, { raw, known, messengers }: Place): boolean {
  return changeLink(element, (lead, number) => {
    if (!messengers && !calls.test(lead)) {
      return number;
    }
    const plain = number.replace(/%2b/i, '+');
    const [writing = ''] = plain.match(otherWriting) || [];
    const fresh = (dials(lead) ? '+' : '') + raw;
    return known.has(digitsOf(writing)) && '+' + writing !== fresh ? number : plain.replace(writing, fresh);
  });
}

/** The first writing of another number in the place, or nothing at all, becomes the number. */
function fillText(element: Element, { shown, known }: Place): boolean {
  let words = '';
  let block: Block | null = null;
  const pieces: { node: Text; from: number }[] = [];
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (isElement(node) ? isBlock(node) : blockOf(node) !== block) {
      words += mark; // Another line begins.
    }
    block = blockOf(node);
    if (isText(node) && !(isElement(block!) && block.closest(forbidden))) {
      pieces.push({ node, from: words.length });
      words += node.data;
    }
  }
  const writings: string[] = words.match(otherWriting) || [];
  if (writings.some((writing) => known.has(digitsOf(writing)))) {
    return false;
  }
  if (writings.length) {
    const begin = words.indexOf(writings[0]);
    const end = begin + writings[0].length;
    let rest = shown;
    const values = pieces.map(({ node: { data }, from }) => {
      if (from >= end || from + data.length <= begin) {
        return data;
      }
      const value = data.slice(0, Math.max(begin - from, 0)) + rest + data.slice(Math.max(end - from, 0));
      rest = '';
      return value;
    });
    return putAll(
      pieces.map(({ node }) => node),
      values,
    );
  }
  if (element.firstElementChild || unfilled.test(element.localName) || new TextEncoder().encode(words).length > longest) {
    return false;
  }
  return say(element, pieces.map(({ node }) => node), shown);
}

/** Bytes of a place: what is longer keeps its words. */
const longest = 2048;

/** Elements that hold no text of their own. */
const unfilled = /^(area|img|input|[bh]r|table|tbody|thead|tfoot|tr|colgroup|[uod]l|menu|picture|video|audio|svg)$/;

/** Writes the text over all words of an element without markup, between the spaces around them. */
function say(element: Element, nodes: Text[], shown: string): boolean {
  const texts = nodes.length ? nodes : [element.appendChild(new Text())];
  const words = texts.map(({ data }) => data).join(mark);
  const [lead] = /^[\s\0]*/.exec(words)!;
  const [trail] = /[\s\0]*$/.exec(words.slice(lead.length))!;
  const pieces = words.slice(lead.length, words.length - trail.length).replace(/[^\0]/g, '');
  if (putAll(texts, (lead + shown + pieces + trail).split(mark))) {
    return true;
  }
  if (!nodes.length) {
    texts[0].remove(); // The page insists on an empty place.
  }
  return false;
}

/** An image, and the sources that browsers prefer to what it says itself. */
function picture(element: Element, address: string, alt: string): boolean {
  if (element.localName !== 'img') {
    return false;
  }
  const nodes = sourcesOf(element);
  const changed = putAll(
    nodes,
    nodes.map(() => address),
  );
  if (changed) {
    element.setAttribute('alt', element.getAttribute('alt') || '');
    putAll([element.getAttributeNode('alt')!], [alt]);
  }
  return changed;
}

export function sourcesOf(image: Element): Attr[] {
  const around = image.closest('picture');
  return [image, ...Array.from(around ? around.querySelectorAll('source') : [])].flatMap((element) =>
    ['src', 'srcset', 'data-src', 'data-srcset'].map((name) => element.getAttributeNode(name)!).filter(Boolean),
  );
}

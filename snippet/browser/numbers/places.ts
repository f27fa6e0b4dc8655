import type { Table } from './forms';
import { forbidden, putAll } from './page';

/** A number as the page's block tells it. Records of targets and pictures stand beside those of numbers. */
export interface Entry {
  id: string;
  from: string;
  raw: string;
  text: string | null;
  img: string | null;
  dt: boolean;
}

/** Elements whose content is a number, or that are a picture of one. */
export interface Place extends Entry {
  /** What is written where it is not the number in another writing. */
  shown: string;
  /** The digits of all that is written for the number. */
  known: Set<string>;
}

export function placesOf(numbers: Entry[], table: Table): Place[] {
  return numbers.filter(({ id }) => !isNumber(id)).map((entry) => {
    const { from, raw, text } = entry;
    const shown = text || numbers.filter((other) => other.from === from).map((other) => other.text).find(Boolean) || raw;
    const known = new Set([raw, shown.replace(/\D/g, '')]);
    table.forEach(({ number, poured, text, compact }) => {
      if (number === from) {
        [poured || '', text, compact].forEach((writing) => known.add(writing.replace(/\D/g, '')));
      }
    });
    return { ...entry, shown, known };
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
    return Array.from(document.querySelectorAll(selector)).filter((element) => !element.closest(forbidden));
  } catch {
    return []; // a selector that the server knows and this browser does not
  }
}

/** Makes the place show the number where it does not yet. Whether anything was changed. */
export function fill(element: Element, { img, shown, known }: Place): boolean {
  if (img) {
    return picture(element, img, shown);
  }
  const nodes = textsOf(element);
  const writings = nodes.map(({ data }) => data.match(otherWriting) || []);
  if (writings.some((found) => found.some((writing) => known.has(writing.replace(/\D/g, ''))))) {
    return false;
  }
  const at = writings.findIndex(({ length }) => length);
  if (at >= 0) {
    return putAll([nodes[at]], [nodes[at].data.replace(writings[at][0], () => shown)]);
  }
  if (element.firstElementChild || element.localName === 'a' || element.textContent!.trim()) {
    return false;
  }
  element.textContent = shown;
  return true;
}

/** A row of digits that people would call. */
const otherWriting = /[+(]{0,2}\d(?:[\s().\-/\xa0\u2000-\u2015\u202f]*\d){4,}/g;

export function textsOf(element: Element): Text[] {
  const nodes: Text[] = [];
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    nodes.push(walk.currentNode as Text);
  }
  return nodes;
}

function picture(element: Element, address: string, alt: string): boolean {
  const source = element.getAttributeNode('src');
  if (element.localName !== 'img' || !source || !putAll([source], [address])) {
    return false;
  }
  element.removeAttribute('srcset');
  element.setAttribute('alt', alt);
  return true;
}

import { begin } from './character';
import type { Table } from './forms';
import { type Change, isText, leave, putAll } from './page';
import { elementsOf, isNumber, sourcesOf } from './places';
import { rewrite } from './rewrite';
import { mark } from './rules';

/** What the server has replaced: where, the old writing and the new. */
export type Replaced = [id: string, old: string, fresh: string];

/**
 * Asks the page whether its numbers may be replaced. Some pages say no because they show the new ones themselves,
 * and do so while they are asked: what they write then stays.
 */
export function consulted(ask: () => boolean): boolean {
  const observer = new MutationObserver(() => {});
  observer.observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
  const agreed = ask();
  for (const { target, addedNodes, attributeName } of observer.takeRecords()) {
    addedNodes.forEach(leave);
    leave(attributeName ? (target as Element).getAttributeNode(attributeName) : isText(target) ? target : null);
  }
  observer.disconnect();
  return agreed;
}

/**
 * The change that brings the old numbers back: in the very writings that the server tells, and where it tells
 * none, by pouring the old digits into the new ones' places, of which `back` is the table.
 */
export function undoing(back: Table, replaced: Replaced[]): Change {
  const exact = replaced
    .filter(([id, old, fresh]) => isNumber(id) && old !== fresh)
    .map(([, old, fresh]) => [patternOf(fresh), old] as const);
  return (text, lead) => {
    if (begin(text, 0) === text.length) {
      return text;
    }
    for (const [pattern, old] of exact) {
      text = text.replace(pattern, (_, lead: string, found: string) => lead + into(found, old));
    }
    return rewrite(text, back, lead && '/'); // a plus sign that was missing stays so
  };
}

/** A writing in a text, whatever markup stands in it, and not as a part of longer digits. */
function patternOf(fresh: string): RegExp {
  const characters = Array.from(fresh, (char) => char.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&'));
  return new RegExp('(^|[^\\d+])(' + characters.join(mark + '*') + ')(?!\\d)', 'g');
}

/** Writes the old characters into the places of those found; all into the first piece where they are not as many. */
function into(found: string, old: string): string {
  const characters = old.split('');
  return found.replace(/\0/g, '').length === old.length
    ? found.replace(/[^\0]/g, () => characters.shift()!)
    : old + found.replace(/[^\0]/g, '');
}

/** Brings back what targets and pictures showed. */
export function undoPlaces(replaced: Replaced[]): void {
  for (const [id, old, fresh] of replaced) {
    for (const element of isNumber(id) ? [] : elementsOf(id)) {
      const sources = element.localName === 'img' ? sourcesOf(element).filter(({ value }) => value === fresh) : [];
      const nodes: (Text | Attr | null)[] = [element.getAttributeNode('href'), element.getAttributeNode('alt')];
      const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        nodes.push(walk.currentNode as Text);
      }
      const found = nodes.find((node) => node && node.nodeValue!.includes(fresh));
      for (const node of sources[0] ? sources : found ? [found] : []) {
        putAll([node], [node.nodeValue!.replace(fresh, () => old)]);
      }
    }
  }
}

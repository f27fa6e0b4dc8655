import { each } from '../text';
import type { Attributes } from './shell';

/** Adds what is inside to the element. Pages change `append`, and the iterators that a spread needs. */
export function fill(element: Node, inside: ArrayLike<Node | string | undefined>): void {
  each(inside, (part) => {
    if (part !== undefined) {
      element.appendChild(typeof part === 'string' ? document.createTextNode(part) : part);
    }
  });
}

export function make<Made extends HTMLElement = HTMLElement>(tag: string, attributes?: Attributes, ...inside: (Node | string | undefined)[]): Made {
  const element = document.createElement(tag);
  const given = attributes || {};
  each(Object.keys(given), (name) => set(element, name, given[name]));
  fill(element, inside);
  return element as Made;
}

/** Sets one attribute, or takes it away where it is false or undefined. */
export function set(element: Element, name: string, value: Attributes[string]): void {
  if (typeof value === 'function') {
    element.addEventListener(name, value);
  } else if (value === undefined || value === false) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? '' : String(value));
  }
}

export function empty(element: Node): void {
  while (element.firstChild) {
    element.removeChild(element.firstChild);
  }
}

const namespace = 'http://www.w3.org/2000/svg';

export function icon(paths: string): SVGElement {
  const svg = document.createElementNS(namespace, 'svg');
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute('d', paths);
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.appendChild(path);
  return svg;
}

/** A button that shows a sign alone. */
export function signButton(paths: string, label: string, pressed: () => void, className = 'sign'): HTMLButtonElement {
  return make<HTMLButtonElement>('button', { type: 'button', class: className, 'aria-label': label, title: label, click: pressed }, icon(paths));
}

/** Paths of the signs, of 24 by 24, drawn by a line. */
export const signs = {
  alert: 'M12 8v5m0 3.5v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  chat: 'M21 11.5a8.4 8.4 0 0 1-12.2 7.5L3 21l2-5.8A8.4 8.4 0 1 1 21 11.5z',
  close: 'M18 6 6 18M6 6l12 12',
  done: 'M20 6 9 17l-5-5',
  phone: 'M22 16.9v3a2 2 0 0 1-2.2 2 19.8 19.8 0 0 1-8.6-3.1 19.5 19.5 0 0 1-6-6 19.8 19.8 0 0 1-3.1-8.6A2 2 0 0 1 4.1 2h3a2 2 0 0 1 2 1.7c.1 1 .4 1.9.7 2.8a2 2 0 0 1-.5 2.1L8.1 9.9a16 16 0 0 0 6 6l1.3-1.2a2 2 0 0 1 2.1-.5c.9.3 1.8.6 2.8.7a2 2 0 0 1 1.7 2z',
  again: 'M3 12a9 9 0 0 1 15.5-6.3L21 8M21 3v5h-5M21 12a9 9 0 0 1-15.5 6.3L3 16M3 21v-5h5',
  sound: 'M11 5 6 9H3v6h3l5 4zM15.5 8.5a5 5 0 0 1 0 7M18.5 5.5a9 9 0 0 1 0 13',
};

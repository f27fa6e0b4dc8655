import { each } from '../text';
import { make, signButton, signs } from './dom';
import type { Invitation } from './shell';

/** Whether the text is like the pattern, in which * stands for any text. An empty pattern is like all. */
export function matches(pattern: string, text: string): boolean {
  return !pattern || new RegExp('^' + pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*') + '$', 'i').test(text);
}

/** With what a visit began: the address of its first page, and the page that led there. */
export interface Landing {
  address: string;
  referrer: string;
}

/** A link of the kind of https://host/path, as far as it is one. */
function partOf(address: string, part: 'hostname' | 'pathname' | 'search'): string {
  try {
    return new URL(address)[part];
  } catch {
    return '';
  }
}

/** Whether the visit meets the condition, which is written as those of tracking numbers are: FIELD=PATTERN, or FIELD alone. */
function meets(condition: string, { address, referrer }: Landing): boolean {
  const name = condition.split('=')[0];
  const value =
    name === 'referrer'
      ? partOf(referrer, 'hostname')
      : name === 'landing'
        ? partOf(address, 'pathname')
        : new URLSearchParams(partOf(address, 'search')).get(name);
  return !!value && matches(condition.slice(name.length + 1), value);
}

/** Whether the invitation is for this page and this visit. */
export function suits({ address, source }: Invitation, landing: Landing): boolean {
  let suited = matches(address, location.pathname);
  each(source.split(' '), (condition) => (suited = suited && (!condition || meets(condition, landing))));
  return suited;
}

/** The bubble beside the launcher. */
export function bubble(text: string, label: string, answer: string, close: string, answered: () => void, closed: () => void): HTMLElement {
  return make(
    'div',
    { class: 'invitation', role: 'region', 'aria-label': label },
    make('div', { class: 'row' }, make('p', { role: 'status' }, text), signButton(signs.close, close, closed)),
    make('button', { type: 'button', class: 'main', click: answered }, answer),
  );
}

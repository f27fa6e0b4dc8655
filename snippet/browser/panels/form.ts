import type { Answer } from '../view';
import { empty, make, set } from './dom';
import type { Attributes, Core } from './shell';

/** One field with its label and what is wrong with it. */
export interface Input {
  element: HTMLElement;
  input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
  /** Says what is wrong, or nothing any more. */
  fault(text?: string): void;
}

/** Characters that a field takes. */
export const longest = 5000;

export function field(
  name: string,
  label: string,
  optional: string | undefined,
  attributes: Record<string, string | number | boolean | undefined> = {},
  tag = 'input',
): Input {
  const input = make<HTMLInputElement>(tag, {
    id: name,
    name,
    required: false,
    ...attributes,
  });
  set(input, 'aria-required', !optional && 'true');
  const error = make('p', { class: 'error', id: name + '-error', hidden: true });
  const fault = (text?: string): void => {
    error.textContent = text || '';
    error.hidden = !text;
    set(input, 'aria-invalid', text ? 'true' : undefined);
    set(input, 'aria-describedby', text ? name + '-error' : undefined);
  };
  input.addEventListener('input', () => fault());
  const title = make('label', { for: name }, label, optional ? make('span', { class: 'optional' }, optional) : undefined);
  return { element: make('div', { class: 'field' }, title, input, error), input, fault };
}

/** Milliseconds after which the visitor is told that sending takes its time. */
const slow = 5000;

/** The button that sends a form, and what is said of it. */
export interface Sending {
  elements: HTMLElement;
  /** Sends a request, unless one is under way. The form gets the answer, but for refusals that any form may meet: these are said here. */
  post(route: string, request: Record<string, unknown>, over: (answer: Answer) => void): void;
  /** Says what went wrong. */
  fail(text: string): void;
}

/**
 * The button is none that submits: pages in a sandbox may have no forms. `send` begins it.
 */
export function sending(core: Core, label: string, texts: Record<string, string>, send: () => void): Sending {
  const words = make('p', { role: 'alert', hidden: true });
  const button = make('button', { type: 'button', class: 'main', click: send }, label);
  let busy = false;
  const put = (on: boolean): void => {
    busy = on;
    button.textContent = on ? texts['form.sending'] : label;
    set(button, 'aria-disabled', on && 'true');
  };
  const say = (text: string, className: string): void => {
    words.textContent = text;
    words.hidden = !text;
    set(words, 'class', className);
  };
  const fail = (text: string): void => say(text, 'failed');
  return {
    elements: make('div', { class: 'send' }, words, button),
    fail,
    post(route, request, over) {
      if (busy) {
        return;
      }
      put(true);
      say('', '');
      const timer = setTimeout(() => say(texts['form.late'], 'waits'), slow);
      const settled = (answer: Answer): void => {
        clearTimeout(timer);
        put(false);
        const refusal = answer.success ? '' : texts['form.refused.' + answer.data.code] || '';
        fail(refusal);
        if (!refusal) {
          over(answer);
        }
      };
      core.call(route, { request }, settled, true);
      if (!core.view()) {
        fail(texts['form.refused.no_consent']); // It goes if there is consent in a moment.
      }
    },
  };
}

/**
 * What a form has that `send` sends: by Enter in a field of one line, and where the browser or one of its programs submits it, such as a
 * keeper of passwords. No page is left for that. Pages in a sandbox that may have no forms get the key alone.
 */
export function sentBy(send: () => void): Attributes {
  const instead = (event: Event): void => {
    event.preventDefault();
    send();
  };
  return {
    novalidate: true,
    submit: instead,
    keydown: (event: KeyboardEvent) => event.key === 'Enter' && !event.isComposing && (event.target as Element).nodeName === 'INPUT' && instead(event),
  };
}

/** Fills a view with what has come of the form. The focus goes to the words, so that they are read. */
export function told(view: HTMLElement, mark: SVGElement, text: string, next: string | undefined, button: string, pressed: () => void): void {
  const words = make('p', { class: 'told', tabindex: -1 }, text);
  empty(view);
  view.appendChild(
    make(
      'div',
      { class: 'sent' },
      make('span', { class: 'mark' }, mark),
      words,
      next ? make('p', {}, next) : undefined,
    ),
  );
  view.appendChild(make('button', { type: 'button', class: 'main', click: pressed }, button));
  words.focus({ preventScroll: true });
}

/** Whether it can be an address of mail: what the service says counts. */
export function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim());
}

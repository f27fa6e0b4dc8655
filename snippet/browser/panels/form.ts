import { empty, make, set } from './dom';

/** One field with its label and what is wrong with it. */
export interface Input {
  element: HTMLElement;
  input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
  /** Says what is wrong, or nothing any more. */
  fault(text?: string): void;
}

/** Characters that a field takes; the service cuts what is longer. */
const longest = 5000;

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
    maxlength: tag === 'select' ? undefined : longest,
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

/** The button that sends a form, and what is said when sending fails. */
export interface Sending {
  elements: HTMLElement;
  /** Whether it is under way; nothing is sent twice. */
  readonly busy: boolean;
  begin(): void;
  /** Over, with what went wrong. */
  over(failure?: string): void;
}

/**
 * The form is none of the browser's: pages in a sandbox may have no forms. It is sent by the button, or by Enter in a field of one line;
 * `send` begins it.
 */
export function sending(label: string, wait: string, send: () => void): Sending {
  const failed = make('p', { class: 'failed', role: 'alert', hidden: true });
  const button = make('button', { type: 'button', class: 'main', click: send }, label);
  let busy = false;
  const put = (on: boolean): void => {
    busy = on;
    button.textContent = on ? wait : label;
    set(button, 'aria-disabled', on && 'true');
  };
  return {
    elements: make('div', { class: 'send' }, failed, button),
    get busy() {
      return busy;
    },
    begin() {
      failed.hidden = true;
      put(true);
    },
    over(failure) {
      put(false);
      failed.textContent = failure || '';
      failed.hidden = !failure;
    },
  };
}

/** Sends the form by Enter in a field of one line. */
export function byEnter(send: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key === 'Enter' && !event.isComposing && (event.target as Element).nodeName === 'INPUT') {
      event.preventDefault();
      send();
    }
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

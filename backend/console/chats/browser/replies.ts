import { around, byId } from '../../frame/browser/events';
import type { Box } from './box';
import type { Conversation } from './conversation';

/** The canned replies, which are offered behind a slash. */
export interface Replies {
  /** Offers those that the box asks for, and tells whether there are any. */
  suggest(): boolean;
  /** Tells whether the key was meant for them. */
  takes(event: KeyboardEvent): boolean;
}

export function repliesOf({ box }: Conversation, written: Box): Replies {
  const replies = byId('replies');
  const options = [...replies.children] as HTMLElement[];
  const offered = (): HTMLElement[] => options.filter((option) => !option.hidden);
  let chosen: HTMLElement | null = null;

  function choose(option: HTMLElement | null): void {
    chosen?.removeAttribute('aria-selected');
    chosen = option;
    chosen?.setAttribute('aria-selected', 'true');
    chosen?.scrollIntoView({ block: 'nearest' });
    if (chosen) {
      box.setAttribute('aria-activedescendant', chosen.id);
    } else {
      box.removeAttribute('aria-activedescendant');
    }
  }

  function hide(): void {
    replies.hidden = true;
    choose(null);
  }

  function suggest(): boolean {
    const word = /^\s*\/(\S*)$/.exec(box.value)?.[1].toLowerCase();
    for (const option of options) {
      option.hidden = word === undefined || !(option.dataset.word!.startsWith(word) || option.dataset.text!.toLowerCase().includes(word));
    }
    const found = offered();
    replies.hidden = !found.length;
    choose(found[0] ?? null);
    return !replies.hidden;
  }

  function insert(option: HTMLElement): void {
    if (/^\s*\/\S*$/.test(box.value)) {
      box.value = '';
    }
    box.setRangeText(option.dataset.text!, box.selectionStart, box.selectionEnd, 'end');
    hide();
    written.changed();
    box.focus();
  }

  replies.addEventListener('mousedown', (event) => {
    const option = around(event, '[role=option]');
    event.preventDefault();
    if (option) {
      insert(option);
    }
  });

  /** What the key does, if it is meant for the replies. */
  function deedOf(event: KeyboardEvent): (() => void) | null {
    const place = event.altKey && !event.ctrlKey && !event.metaKey && /^Digit([1-9])$/.exec(event.code)?.[1];
    const placed = place && options.find((one) => one.dataset.place === place);
    if (placed) {
      return () => insert(placed);
    }
    if (place || replies.hidden) {
      return null;
    }
    const found = offered();
    const now = chosen ? found.indexOf(chosen) : -1;
    switch (event.key) {
      case 'ArrowDown':
        return () => choose(found[(now + 1) % found.length]);
      case 'ArrowUp':
        return () => choose(found[(now + found.length - 1) % found.length]);
      case 'Enter':
      case 'Tab':
        return chosen && (() => insert(chosen!));
      case 'Escape':
        return hide;
    }
    return null;
  }

  function takes(event: KeyboardEvent): boolean {
    const deed = deedOf(event);
    if (deed) {
      event.preventDefault();
      deed();
    }
    return deed !== null;
  }

  suggest();
  return { suggest, takes };
}

import { sentBy } from '../panels/form';
import type { Shell } from '../panels/shell';
import type { News } from './conversation';

/** Asks whether a conversation has helped, when it is closed and an operator has answered. */
export interface Rating {
  element: HTMLElement;
  /** Shows the question or hides it. */
  ask(wanted: boolean): void;
  /** Takes what the visitor has said before. */
  heard(news: News): void;
}

export function rating(shell: Shell, known: () => number): Rating {
  const { core, make, texts } = shell;
  let good: boolean | undefined;
  const yes = make('button', { type: 'button', click: () => choose(true) }, texts['chat.rate.good']);
  const no = make('button', { type: 'button', click: () => choose(false) }, texts['chat.rate.bad']);
  const input = make('input', { 'aria-label': texts['chat.rate.line'], placeholder: texts['chat.rate.line'], maxlength: 500, dir: 'auto' }) as HTMLInputElement;
  const line = make('form', { class: 'mailing', hidden: true, ...sentBy(add) }, input, make('button', { type: 'button', click: add }, texts['chat.send']));
  const element = make('div', { class: 'rating', role: 'group', 'aria-label': texts['chat.rate'], hidden: true }, make('p', {}, texts['chat.rate'], yes, no), line);

  function show(): void {
    yes.setAttribute('aria-pressed', String(good === true));
    no.setAttribute('aria-pressed', String(good === false));
    line.hidden = good === undefined;
  }

  let sending = false;
  let next: (() => void) | undefined;

  // One at a time: of two on their way the first may arrive last, and what it says would stay.
  function send(settled?: () => void): void {
    if (sending) {
      next = () => send(settled);
      return;
    }
    sending = true;
    core.call('chat/rate', { good, line: input.value.trim(), conversation: known() }, ({ success }) => {
      sending = false;
      success && settled && settled();
      const then = next;
      next = undefined;
      then && then();
    });
  }

  function choose(is: boolean): void {
    good = is;
    show();
    send();
    input.focus();
  }

  function add(): void {
    send(() => {
      line.hidden = true;
      shell.notice(texts['chat.rate.thanks']);
    });
  }

  show();

  return {
    element,
    ask(wanted) {
      if (element.hidden === wanted) {
        element.hidden = !wanted;
        if (!wanted) {
          good = undefined; // Another time is another question.
          input.value = '';
          show();
        }
      }
    },
    heard({ rating }) {
      if (rating && good === undefined) {
        good = rating.good;
        input.value = rating.line;
        show();
        line.hidden = true;
      }
    },
  };
}

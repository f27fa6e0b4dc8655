import type { Shell } from '../panels/shell';

/** Has the conversation sent to the visitor by mail. */
export interface Mailing {
  element: HTMLElement;
  /** Whether it can be; undefined for nothing new. */
  offer(can: boolean | undefined): void;
}

export function mailing(shell: Shell, known: () => number): Mailing {
  const { core, make, texts } = shell;
  const input = make('input', { type: 'email', autocomplete: 'email', 'aria-label': texts['chat.mail.address'], placeholder: texts['chat.mail.address'], dir: 'ltr' }) as HTMLInputElement;
  const form = make('form', { class: 'mailing', hidden: true, novalidate: true, submit }, input, make('button', { type: 'submit' }, texts['chat.mail.send']));
  const ask = make('button', { type: 'button', class: 'more', hidden: true, click: open }, texts['chat.mail']);
  const element = make('div', { class: 'line' }, ask, form);

  function open(): void {
    form.hidden = false;
    ask.hidden = true;
    input.focus();
  }

  function submit(event: Event): void {
    event.preventDefault();
    const email = input.value.trim();
    core.call('chat/transcript', { email, conversation: known() }, ({ success }) => {
      shell.notice(texts[success ? 'chat.mail.sent' : 'chat.mail.failed'], !success);
      form.hidden = success;
      ask.hidden = !success;
    });
  }

  return {
    element,
    offer(can) {
      if (can !== undefined && form.hidden) {
        ask.hidden = !can;
      }
    },
  };
}

import { isAddress, sentBy } from '../panels/form';
import type { Shell } from '../panels/shell';

/** Has the conversation sent to the visitor by mail. */
export interface Mailing {
  element: HTMLElement;
  /** Says whether it can be. */
  offer(can: boolean): void;
}

export function mailing(shell: Shell, known: () => number): Mailing {
  const { core, make, texts } = shell;
  const input = make('input', { type: 'email', autocomplete: 'email', 'aria-label': texts['chat.mail.address'], placeholder: texts['chat.mail.address'], dir: 'ltr' }) as HTMLInputElement;
  const form = make('form', { class: 'mailing', hidden: true, ...sentBy(submit) }, input, make('button', { type: 'button', click: submit }, texts['chat.mail.send']));
  const ask = make('button', { type: 'button', class: 'more', hidden: true, click: open }, texts['chat.mail']);
  const element = make('div', { class: 'line' }, ask, form);

  function open(): void {
    form.hidden = false;
    ask.hidden = true;
    input.focus();
  }

  function submit(): void {
    const email = input.value.trim();
    const settled = (success: boolean): void => {
      shell.notice(texts[success ? 'chat.mail.sent' : 'chat.mail.failed'], !success);
      form.hidden = success;
      ask.hidden = !success;
    };
    // The service counts what it is asked for.
    if (isAddress(email)) {
      core.call('chat/transcript', { email, zone: zone(), conversation: known() }, ({ success }) => settled(success));
    } else {
      settled(false);
    }
  }

  return {
    element,
    offer(can) {
      if (form.hidden) {
        ask.hidden = !can;
      }
    },
  };
}

/** The name of the visitor's time zone; empty where the browser does not tell. */
function zone(): string {
  try {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone || '';
  } catch {
    return '';
  }
}

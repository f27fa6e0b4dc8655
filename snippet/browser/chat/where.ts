import { isAddress, sentBy } from '../panels/form';
import type { Shell } from '../panels/shell';
import { each } from '../text';
import type { Message } from './conversation';

/** Asks where the visitor can be answered, when nobody has answered in time and no contact is known. */
export interface Where {
  element: HTMLElement;
  /** Takes notice of the messages, which come in their order. */
  heard(messages: Message[]): void;
}

/** Digits of a telephone number, at the least. */
const fewest = 7;

/** What is given is said in the conversation and so is on its lead, and is known of the visitor. */
export function where(shell: Shell, send: (text: string) => void): Where {
  const { core, make, texts } = shell;
  const label = texts['chat.where'];
  const input = make('input', { autocomplete: 'email', 'aria-label': label, placeholder: label, dir: 'auto' }) as HTMLInputElement;
  const button = make('button', { type: 'button', click: submit }, texts['chat.send']);
  const element = make('form', { class: 'mailing', hidden: true, ...sentBy(submit) }, input, button);
  /** The number of the last message that asks. */
  let asked = 0;

  function submit(): void {
    const given = input.value.trim();
    if (!isContact(given)) {
      shell.notice(texts['form.contact'], true);
      return;
    }
    core.call('visitor', isAddress(given) ? { email: given } : { phone: given }, undefined, true);
    send(given);
    input.value = '';
    element.hidden = true;
    shell.notice(texts['chat.where.thanks']);
  }

  return {
    element,
    heard(messages) {
      each(messages, ({ seq, code, from, text }) => {
        if (code === 'unanswered_where') {
          asked = seq;
        } else if (seq > asked && (from === 'operator' || (from === 'visitor' && isContact(text)))) {
          asked = 0;
        }
      });
      element.hidden = !asked;
    },
  };
}

function isContact(text: string): boolean {
  return isAddress(text) || (!/[^\d\s()+./-]/.test(text) && text.replace(/\D/g, '').length >= fewest);
}

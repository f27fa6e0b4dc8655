import type { Shell } from '../panels/shell';
import { each } from '../text';

/** Characters of a message, as the service takes it. */
export const longest = 4000;

/** The field in which the visitor writes. */
export interface Compose {
  element: HTMLElement;
  readonly input: HTMLTextAreaElement;
  /** What is written and not sent. */
  readonly text: string;
  clear(): void;
}

const paths = {
  send: 'M22 2 11 13M22 2l-7 20-4-9-9-4z',
  attach: 'M21.4 11.1 12.3 20.2a6 6 0 0 1-8.5-8.5l9.2-9.2a4 4 0 0 1 5.7 5.7l-9.2 9.2a2 2 0 0 1-2.8-2.8l8.5-8.5',
};

export function compose(shell: Shell, send: (text: string) => void, sendFile: (file: File) => void, typing: () => void): Compose {
  const { make, texts } = shell;
  const input = make('textarea', {
    rows: 1,
    placeholder: texts['chat.placeholder'],
    'aria-label': texts['chat.placeholder'],
    dir: 'auto',
    enterkeyhint: 'send',
    input: written,
    keydown: pressed,
    paste: (event: ClipboardEvent) => files(event, event.clipboardData),
  }) as HTMLTextAreaElement;
  const fault = make('p', { class: 'state bad', role: 'alert', hidden: true });
  const chooser = make('input', { type: 'file', multiple: true, hidden: true, tabindex: -1, change: chosen }) as HTMLInputElement;
  const attach = sign(paths.attach, texts['chat.attach'], () => chooser.click());
  const go = sign(paths.send, texts['chat.send'], submit);
  go.className += ' go';
  attach.hidden = !shell.widget.files;
  shell.body.addEventListener('dragover', over);
  shell.body.addEventListener('drop', (event) => {
    over(event);
    files(event, event.dataTransfer);
  });

  function sign(drawn: string, label: string, click: () => void): HTMLElement {
    return make('button', { type: 'button', class: 'sign', 'aria-label': label, title: label, click }, shell.icon(drawn));
  }

  /** The field grows with what is in it. */
  function fit(): void {
    input.style.height = '';
    input.style.height = Math.max(44, Math.min(132, input.scrollHeight + 2)) + 'px';
  }

  /** Says by how much it is too long. */
  function measure(): void {
    const more = input.value.trim().length - longest;
    fault.hidden = more <= 0;
    fault.textContent = more > 0 ? texts['form.too_long'].replace('{count}', String(more)) : '';
  }

  function written(): void {
    fit();
    measure();
    if (input.value) {
      typing();
    }
  }

  function pressed(event: KeyboardEvent): void {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    }
  }

  function submit(): void {
    const text = input.value.trim();
    measure();
    if (text && fault.hidden) {
      input.value = '';
      fit();
      send(text);
    }
    input.focus();
  }

  function chosen(): void {
    each(chooser.files!, sendFile);
    chooser.value = '';
    input.focus();
  }

  /** A browser opens a file that is dropped in place of the page, unless the page says that it takes it. */
  function over(event: DragEvent): void {
    each(event.dataTransfer!.types, (type) => {
      if (type === 'Files') {
        event.preventDefault();
        event.stopPropagation();
      }
    });
  }

  function files(event: Event, given: DataTransfer | null): void {
    if (given && given.files.length && shell.widget.files) {
      event.preventDefault();
      each(given.files, sendFile);
    }
  }

  return {
    element: make('div', {}, fault, make('div', { class: 'writing' }, chooser, attach, input, go)),
    input,
    get text() {
      return input.value.trim();
    },
    clear() {
      input.value = '';
      written();
    },
  };
}

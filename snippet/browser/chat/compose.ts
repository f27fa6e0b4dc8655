import type { Shell } from '../panels/shell';
import { each } from '../text';
import { preview } from './picture';

/** Characters of a message, as the service takes it. */
export const longest = 4000;

/** The field in which the visitor writes. */
export interface Compose {
  element: HTMLElement;
  readonly input: HTMLTextAreaElement;
  /** What is written and not sent. */
  readonly text: string;
  clear(): void;
  /** Makes the field as high as what is in it, once it is shown. */
  fit(): void;
}

const paths = {
  send: 'M22 2 11 13M22 2l-7 20-4-9-9-4z',
  remove: 'M18 6 6 18M6 6l12 12',
  attach: 'M21.4 11.1 12.3 20.2a6 6 0 0 1-8.5-8.5l9.2-9.2a4 4 0 0 1 5.7 5.7l-9.2 9.2a2 2 0 0 1-2.8-2.8l8.5-8.5',
};

/** A file that is sent with the next message, and what shows it. */
interface Staged {
  file: File;
  shown: HTMLElement;
}

/** What is written is kept to the next page of the tab, files are not. */
export function compose(shell: Shell, send: (text: string) => void, sendFile: (file: File, shown: HTMLElement) => void, typing: () => void): Compose {
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
  let staged: Staged[] = [];
  const tray = make('div', { class: 'tray', hidden: true });
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

  /** What has been written is `draft` on the next page. */
  function keep(): void {
    fit();
    shell.keep('draft', input.value || undefined, true);
  }

  function written(): void {
    keep();
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
    if (fault.hidden) {
      const files = staged;
      staged = [];
      tray.textContent = '';
      tray.hidden = true;
      each(files, ({ file, shown }) => sendFile(file, shown));
    }
    if (text && fault.hidden) {
      input.value = '';
      keep();
      send(text);
    }
    input.focus();
  }

  /** Shows the file, which goes with what is written. */
  function stage(file: File): void {
    const shown = preview(shell, file);
    const one = make('div', { class: 'staged' }, shown, sign(paths.remove, texts['chat.remove'], remove));
    staged[staged.length] = { file, shown };
    tray.appendChild(one);
    tray.hidden = false;

    function remove(): void {
      const left: Staged[] = [];
      each(staged, (other) => other.file !== file && (left[left.length] = other));
      staged = left;
      tray.removeChild(one);
      tray.hidden = !left.length;
      input.focus();
    }
  }

  function chosen(): void {
    each(chooser.files!, stage);
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
      each(given.files, stage);
      input.focus();
    }
  }

  input.value = shell.kept('draft', true) || '';

  return {
    element: make('div', {}, fault, tray, make('div', { class: 'writing' }, chooser, attach, input, go)),
    input,
    get text() {
      return input.value.trim();
    },
    fit,
    clear() {
      input.value = '';
      written();
    },
  };
}

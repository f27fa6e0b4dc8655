import { inside } from '../../frame/browser/events';
import { keep, kept } from './kept';
import type { Conversation } from './conversation';

/** The box in which an answer is written: it grows with its text, may be a note for operators alone, and keeps a draft. */
export interface Box {
  readonly isNote: boolean;
  /** Has the box hold the text instead. */
  write(text: string, note: boolean): void;
  /** Says that the text has changed. */
  changed(): void;
}

export function boxOf({ at, form, box }: Conversation, me: string): Box {
  const draft = `draft ${me} ${at}`;
  const button = inside(form, '[data-note]');
  const plainHint = box.placeholder;
  const isNote = (): boolean => button.getAttribute('aria-pressed') === 'true';

  function setNote(on: boolean): void {
    button.setAttribute('aria-pressed', String(on));
    form.classList.toggle('noting-now', on);
    box.placeholder = on ? box.dataset.noteHint! : plainHint;
  }

  function changed(): void {
    box.style.height = 'auto';
    box.style.height = Math.min(box.scrollHeight + 2, 200) + 'px';
    // What is kept says, too, whether it is a note: else it would go to the visitor.
    keep(draft, box.value && JSON.stringify({ text: box.value, note: isNote() }));
  }

  function write(text: string, note: boolean): void {
    box.value = text;
    setNote(note);
    changed();
  }

  button.addEventListener('click', () => {
    setNote(!isNote());
    changed();
    box.focus();
  });

  const begun = JSON.parse(kept(draft) ?? '{}');
  write(begun.text ?? '', Boolean(begun.note));
  return {
    get isNote() {
      return isNote();
    },
    write,
    changed,
  };
}

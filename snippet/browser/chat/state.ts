import type { Shell } from '../panels/shell';
import type { Conversation } from './talk';

/** Milliseconds for which somebody counts as typing. */
const typingFor = 6000;

/** Milliseconds in which a day is named by its weekday. */
const week = 6 * 86_400_000;

/** The line under the conversation. */
export interface State {
  element: HTMLElement;
  /** Somebody is typing. */
  typing(): void;
  /** Nobody is typing any more. */
  quiet(): void;
  end(): void;
}

/** How things are. */
export interface Presence {
  online: boolean | undefined;
  /** When somebody will be there, in milliseconds since 1970; 0 where it is not known. */
  opens: number;
  conversation: Conversation | undefined;
}

/** `leave` opens the form, for those who have no conversation. */
export function stateLine({ make, texts, language }: Shell, now: () => Presence, leave: () => void): State {
  const element = make('p', { class: 'state', role: 'status' });
  let silent: ReturnType<typeof setTimeout> | undefined;

  function say(text: string): void {
    if (element.textContent !== text) {
      element.textContent = text;
    }
  }

  function quiet(): void {
    clearTimeout(silent);
    const { online, opens, conversation } = now();
    if (online !== false) {
      say(conversation && conversation.banned ? texts['chat.refused.banned'] : '');
      return;
    }
    say(texts['chat.offline'] + ' ' + (opens ? texts['chat.opens'].replace('{time}', () => momentOf(opens)) + ' ' : ''));
    if (!talks(conversation)) {
      element.appendChild(make('button', { type: 'button', click: leave }, texts['chat.leave']));
    }
  }

  /** A time of today, of one of the next days, or of a later one. */
  function momentOf(at: number): string {
    const far = at - Date.now() > week;
    const later = new Date(at).toDateString() !== new Date().toDateString();
    return new Date(at).toLocaleString(language, {
      weekday: later && !far ? 'long' : undefined,
      day: far ? 'numeric' : undefined,
      month: far ? 'long' : undefined,
      hour: 'numeric',
      minute: '2-digit',
    });
  }

  return {
    element,
    typing() {
      say(texts['chat.typing']);
      clearTimeout(silent);
      silent = setTimeout(quiet, typingFor);
    },
    quiet,
    end: () => clearTimeout(silent),
  };
}

/** Whether there is a conversation that goes on, whoever is there. */
export function talks(conversation: Conversation | undefined): boolean {
  return !!conversation && conversation.state !== 'closed';
}

import type { Shell } from '../panels/shell';
import type { Line } from './line';
import type { Conversation } from './conversation';

/** Milliseconds for which somebody counts as typing. */
const typingFor = 6000;

/** Milliseconds in which a day is named by its weekday. */
const week = 6 * 86_400_000;

/** Milliseconds in which the pages that hear of it ask, one after another. */
const apart = 5000;

/** The line under the conversation. */
export interface State {
  element: HTMLElement;
  /** Somebody is typing. */
  typing(): void;
  /** Nobody is typing any more. */
  quiet(): void;
  /** When somebody will be there, in milliseconds since 1970. */
  opens(at: number | undefined): void;
  /** Everybody has just gone. */
  left(): void;
  end(): void;
}

/** How things are. */
export interface Presence {
  online: boolean | undefined;
  conversation: Conversation | undefined;
}

/** `leave` opens the form, for those who have no conversation. */
export function stateLine(shell: Shell, line: Line, now: () => Presence, leave: () => void): State {
  const { make, texts, language } = shell;
  const element = make('p', { class: 'state', role: 'status' });
  let silent: ReturnType<typeof setTimeout> | undefined;
  let opens = 0;

  function say(text: string): void {
    if (element.textContent !== text) {
      element.textContent = text;
    }
  }

  function quiet(): void {
    clearTimeout(silent);
    const { online, conversation } = now();
    if (online !== false) {
      say(conversation && conversation.banned ? texts['chat.refused.banned'] : '');
      return;
    }
    say(texts['chat.offline'] + ' ' + (opens > Date.now() ? texts['chat.opens'].replace('{time}', () => momentOf(opens)) + ' ' : ''));
    if (!goesOn(conversation)) {
      element.appendChild(make('button', { type: 'button', click: leave }, texts['chat.leave']));
    }
  }

  /** Asks when somebody will be there again. */
  async function learn(): Promise<void> {
    const news = now().online === false && shell.shown ? await line.ask({ after: 1e15 }) : undefined;
    if (news && news.opens) {
      opens = news.opens;
      quiet();
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
    opens(at) {
      if (at && at !== opens) {
        opens = at;
        quiet();
      }
    },
    left() {
      setTimeout(learn, Math.random() * apart);
    },
    end: () => clearTimeout(silent),
  };
}

/** Whether there is a conversation that goes on, whoever is there. */
export function goesOn(conversation: Conversation | undefined): boolean {
  return !!conversation && conversation.state !== 'closed';
}

import type { Shell } from '../panels/shell';
import { each, randomId } from '../text';
import type { Answer } from '../view';
import { longest } from './compose';
import type { Line } from './line';
import type { Conversation, Message } from './conversation';

/** Something that the visitor has written and the service does not have yet. */
export interface Unsent {
  id: string;
  text: string;
  /** The invitation that is answered. */
  invitation?: string;
  /** The group that the page has named. */
  group?: number;
  file?: File;
  /** What shows the file. */
  shown?: HTMLElement;
  at: number;
  /** Why the service does not want it; empty while it may still take it. */
  refused?: string;
  /** It was sent, or may have been on the page before: its text does not change any more. */
  tried?: boolean;
  /** An attempt was in vain. */
  late?: boolean;
}

export interface Outbox {
  readonly list: Unsent[];
  add(text: string, invitation?: string, file?: File, shown?: HTMLElement): void;
  /** Sends what waits. */
  go(): void;
  /** Tries again what was refused. */
  retry(unsent: Unsent): void;
  /** The service has it. */
  drop(id: string): void;
}

/** Bytes of a file, as the service takes it. */
export const largest = 5 << 20;

/** So many messages wait each for itself. */
const mostApart = 3;

/** Milliseconds after which the visitor is told that a message takes its time, and after which a file is given up for another attempt. */
const slow = 5000;
const uploading = 300_000;

/**
 * Messages go one after another, so that they arrive in their order. What has not arrived is kept over the pages of the tab, and is
 * sent again under the same id, by which the service knows it.
 */
export function outbox(
  shell: Shell,
  line: Line,
  known: () => number,
  said: (conversation: Conversation, message: Message) => void,
  changed: () => void,
): Outbox {
  const { core } = shell;
  const slot = 'cs:' + core.key + ':unsent';
  const list: Unsent[] = [];
  let sending: Unsent | undefined;

  function keep(): void {
    try {
      let texts = '';
      each(list, ({ id, text, at, invitation, group, file }) => {
        if (!file) {
          texts += id + ' ' + at + ' ' + encodeURIComponent(invitation || '') + ' ' + encodeURIComponent(text) + ' ' + (group || '') + '\n';
        }
      });
      if (texts) {
        sessionStorage.setItem(slot, texts);
      } else {
        sessionStorage.removeItem(slot);
      }
    } catch {
      // Nothing may be kept, or a lone half of a character cannot be written.
    }
    changed();
  }

  function recall(): void {
    try {
      each((sessionStorage.getItem(slot) || '').split('\n'), (kept) => {
        const parts = kept.split(' ');
        if (parts.length > 3) {
          list[list.length] = {
            id: parts[0],
            at: Number(parts[1]),
            invitation: decodeURIComponent(parts[2]) || undefined,
            text: decodeURIComponent(parts[3]),
            group: Number(parts[4]) || undefined,
            tried: true,
          };
        }
      });
    } catch {
      // Nothing is kept.
    }
  }

  function go(): void {
    let next: Unsent | undefined;
    each(list, (unsent) => (next = next || (unsent.refused ? undefined : unsent)));
    if (sending || !next) {
      return;
    }
    sending = next;
    if (next.file) {
      upload(next);
      return;
    }
    const unsent = next;
    join(unsent);
    const { id, text, invitation, group } = unsent;
    setTimeout(() => {
      if (sending === unsent) {
        unsent.late = true;
        changed();
      }
    }, slow);
    const request = { text, invitation, group_id: group, language: shell.language };
    core.call('chat/say', { id, conversation: known() || undefined, request }, settled, true);
  }

  /** Where several messages wait, they go as one: the service takes only so many in a minute. */
  function join(into: Unsent): void {
    let waiting = 0;
    each(list, ({ tried, refused, file }) => (waiting += tried || refused || file ? 0 : 1));
    if (!into.tried && waiting > mostApart) {
      let kept = 0;
      let open = false;
      each(list, (unsent) => {
        const { text, group, invitation, file, refused } = unsent;
        if (open && !file && !refused && !invitation && group === into.group && into.text.length + text.length < longest) {
          into.text += '\n' + text;
        } else {
          open = unsent === into;
          list[kept++] = unsent;
        }
      });
      list.length = kept;
      keep();
    }
    into.tried = true;
  }

  async function upload({ id, file, group }: Unsent): Promise<void> {
    let answer: Answer = { success: false, status: 0, statusText: '', data: {} };
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), uploading);
    try {
      const token = await line.token();
      const address =
        'v1/chat/send?t=' + token + '&id=' + id + '&l=' + shell.language + '&name=' + encodeURIComponent(file!.name) + '&conversation=' + known() + '&g=' + (group || '');
      const headers = { 'Content-Type': 'application/octet-stream' };
      const response = await fetch(core.base + address, { method: 'POST', body: file, credentials: 'include', headers, signal: abort.signal });
      answer.status = response.status;
      answer.data = await response.json();
      answer.success = response.ok && answer.data.success === true;
    } catch {
      // It is not there, or has not said.
    }
    clearTimeout(timer);
    settled(answer);
  }

  function settled({ success, status, data }: Answer): void {
    const unsent = sending!;
    sending = undefined;
    if (success) {
      drop(unsent.id);
      said(data.conversation, data.message);
      go();
      return;
    }
    if (data.code !== 'no_consent' && (!status || status === 408 || status === 429 || status >= 500)) {
      unsent.late = true;
      setTimeout(go, 5000 + Math.random() * 5000);
    } else {
      unsent.refused = String(data.code);
    }
    keep();
    if (unsent.refused) {
      go();
    }
  }

  function drop(id: string): void {
    for (let i = 0; i < list.length; i++) {
      if (list[i].id === id) {
        for (let j = i + 1; j < list.length; j++) {
          list[j - 1] = list[j];
        }
        list.length--;
        keep();
      }
    }
  }

  recall();

  return {
    list,
    add(text, invitation, file, shown) {
      const at = Date.now();
      list[list.length] = {
        id: randomId(),
        text,
        invitation,
        group: shell.group,
        file,
        shown,
        at,
        refused: file && (file.size > largest ? 'too_large' : file.size ? undefined : 'empty'),
      };
      keep();
      go();
    },
    go,
    retry(unsent) {
      unsent.refused = undefined;
      keep();
      go();
    },
    drop,
  };
}

import { byId } from '../../frame/browser/events';
import { keep, kept, keysKept } from './kept';

// Messages that the server does not have yet. A text outlives its page, on which it was written.

/** A message on its way: a text or a file, known again by the id that it got here. */
export interface Message {
  client: string;
  note: boolean;
  text?: string;
  file?: File;
}

// The keys begin with this: each is of an operator and a conversation.
const unsent = `unsent ${byId('chats').dataset.me} `;

/** The texts of the conversation at the address that wait. */
export function textsFor(at: string): Message[] {
  return JSON.parse(kept(unsent + at) ?? '[]');
}

export function keepTexts(at: string, messages: Message[]): void {
  const texts = messages.filter((message) => message.text);
  keep(unsent + at, texts.length ? JSON.stringify(texts) : '');
}

/** What the answer says in plain words. */
export async function plainly(answer: Response | null): Promise<string> {
  const body = await answer?.text().catch(() => '');
  return body && answer!.headers.get('Content-Type')?.startsWith('text/plain') ? body.trim() : '';
}

/** Tells whether another try would be refused, too. */
export function isRefused(answer: Response | null): boolean {
  return answer !== null && answer.status >= 400 && answer.status < 500 && ![408, 425, 429].includes(answer.status);
}

/** Waits so many milliseconds, more or less, or until there is a network again. */
export function pause(longest: number): Promise<unknown> {
  return new Promise((resolve) => {
    setTimeout(resolve, longest * (0.75 + Math.random() / 2));
    addEventListener('online', resolve, { once: true });
  });
}

export function send(at: string, { text, file, client, note }: Message): Promise<Response | null> {
  const sent = file
    ? fetch(`${at}/files?` + new URLSearchParams({ name: file.name, client, note: String(note) }), {
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: file,
      })
    : fetch(at + '/messages', {
        method: 'POST',
        body: new URLSearchParams({ text: text!, client, note: String(note) }),
        keepalive: true,
        signal: AbortSignal.timeout(20000),
      });
  return sent.catch(() => null);
}

/** Sends what another page has left behind. What is refused stays for the page of its conversation, which says so. */
async function sendLeft(at: string): Promise<void> {
  const left = textsFor(at);
  for (let wait = 500; left.length; ) {
    const answer = await send(at, left[0]);
    if (answer?.redirected || isRefused(answer)) {
      return;
    }
    if (answer?.ok) {
      left.shift();
      keepTexts(at, left);
      wait = 500;
    } else {
      await pause(wait);
      wait = Math.min(10000, wait * 2);
    }
  }
}

/** Sends what was left on the pages of other conversations than the one at the address. */
export function sendAllLeft(but: string | undefined): void {
  for (const key of keysKept()) {
    const at = key.slice(unsent.length);
    if (key.startsWith(unsent) && at !== but) {
      sendLeft(at);
    }
  }
}

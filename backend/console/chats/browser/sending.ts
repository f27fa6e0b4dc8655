import { complain, inside, parsed } from '../../frame/browser/events';
import type { Box } from './box';
import type { Log } from './log';
import type { Replies } from './replies';
import type { Conversation } from './conversation';
import { isRefused, keepTexts, type Message, pause, plainly, send, textsFor } from './unsent';

/** How large a file may be, in bytes. */
const largest = 5 * 1024 * 1024;

/** Milliseconds between two times that the visitor is told that an answer is being typed. */
const typingPause = 3000;

/**
 * Sends what is written. A message stands there at once, and is sent until the server has it. It is known again by the id that it got
 * here: so it is never lost and never there twice.
 */
export function sendFrom({ at, element: conversation, form, box, texts }: Conversation, log: Log, written: Box, replies: Replies): void {
  const queue = textsFor(at);
  let sending = false;

  function showWaiting(message: Message): void {
    const entry = document.createElement('li');
    const text = Object.assign(document.createElement('p'), { className: 'remark', textContent: message.text ?? message.file!.name });
    const state = Object.assign(document.createElement('small'), { className: 'when', textContent: texts.sending });
    entry.className = `waits mine ${message.note ? 'note' : 'operator'}`;
    entry.dataset.client = message.client;
    entry.append(text, state);
    log.element.append(entry);
  }

  function waitingEntry(message: Message): HTMLElement | undefined {
    return [...log.element.querySelectorAll<HTMLElement>(':scope > li.waits')].find((entry) => entry.dataset.client === message.client);
  }

  function refuse(message: Message, why: string): void {
    const entry = waitingEntry(message);
    if (!entry) {
      return;
    }
    const state = inside(entry, '.when');
    const drop = Object.assign(document.createElement('button'), { type: 'button', className: 'quiet link', textContent: texts.drop });
    entry.classList.add('refused');
    state.textContent = (why || texts.unsent) + ' ';
    drop.addEventListener('click', () => {
      entry.remove();
      box.focus();
    });
    state.append(drop);
    if (message.text && !box.value) {
      written.write(message.text, message.note);
    }
  }

  /** Sends the first message of the queue, and returns whether it is done with. */
  async function sendFirst(): Promise<boolean> {
    const message = queue[0];
    const answer = await send(at, message);
    if (answer?.redirected) {
      await new Promise(() => location.reload()); // signed out; it is sent after the next sign-in
    }
    const refused = isRefused(answer);
    const html = answer?.ok ? await answer.text().catch(() => null) : null;
    if (html === null && !refused) {
      return false;
    }
    queue.shift();
    keepTexts(at, queue);
    if (refused) {
      refuse(message, await plainly(answer));
    } else {
      log.take(parsed(html!).querySelectorAll<HTMLElement>('li[data-seq]'));
    }
    return true;
  }

  async function drain(): Promise<void> {
    if (sending) {
      return;
    }
    sending = true;
    for (let wait = 500; queue.length; ) {
      if (await sendFirst()) {
        wait = 500;
        continue;
      }
      const entry = waitingEntry(queue[0]);
      if (entry) {
        inside(entry, '.when').textContent = texts.retry;
      }
      await pause(wait);
      wait = Math.min(10000, wait * 2);
    }
    sending = false;
  }

  // A file is not kept: who leaves before it is sent is asked.
  addEventListener('beforeunload', (event) => {
    if (queue.some((message) => message.file)) {
      event.preventDefault();
    }
  });

  function add(content: { text: string } | { file: File }): void {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const message = { ...content, note: written.isNote, client: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') };
    queue.push(message);
    keepTexts(at, queue);
    showWaiting(message);
    log.goDown();
    drain();
  }

  function submit(): void {
    const text = box.value.trim();
    if (text) {
      add({ text });
      written.write('', false);
      box.focus();
    }
  }

  function attach(files: FileList): void {
    for (const file of files) {
      if (file.size > largest) {
        complain(box, texts.large);
      } else {
        add({ file });
      }
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  const touch = matchMedia('(pointer: coarse)');
  box.addEventListener('keydown', (event) => {
    if (event.isComposing || replies.takes(event)) {
      return;
    }
    if (event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey && !touch.matches) {
      event.preventDefault();
      submit();
    }
  });

  let typed = 0;
  box.addEventListener('input', () => {
    written.changed();
    if (replies.suggest() || written.isNote || !box.value.trim() || Date.now() - typed < typingPause) {
      return;
    }
    typed = Date.now();
    fetch(at + '/typing', { method: 'POST' }).catch(() => {});
  });

  const input = inside<HTMLInputElement>(form, 'input[type=file]');
  input.addEventListener('change', () => {
    attach(input.files!);
    input.value = '';
  });
  box.addEventListener('paste', (event) => {
    if (event.clipboardData!.files.length) {
      event.preventDefault();
      attach(event.clipboardData!.files);
    }
  });
  conversation.addEventListener('dragover', (event) => {
    if (event.dataTransfer!.types.includes('Files')) {
      event.preventDefault();
    }
  });
  conversation.addEventListener('drop', (event) => {
    if (event.dataTransfer!.files.length) {
      event.preventDefault();
      attach(event.dataTransfer!.files);
    }
  });

  queue.forEach(showWaiting);
  log.finish();
  log.goDown();
  if (!touch.matches) {
    box.focus();
  }
  drain();
}

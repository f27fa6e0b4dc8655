import type { Shell, StartChat } from '../panels/shell';
import { each } from '../text';
import { compose } from './compose';
import { line } from './line';
import { log } from './log';
import { mailing } from './mailing';
import { outbox } from './outbox';
import { rating } from './rating';
import { sound } from './sound';
import { goesOn, stateLine } from './state';
import { style } from './style';
import type { Conversation, Message, News } from './conversation';
import { titles } from './title';
import { unseen } from './unseen';
import { where } from './where';

/** Milliseconds after the last message for which a conversation is listened to on pages where it is not open. */
const lively = 1_800_000;

/** Milliseconds between two words of somebody's typing. */
const typingEvery = 3000;

/** The visitor's side of the conversation. */
export const start: StartChat = (shell: Shell) => {
  const { core, make, texts } = shell;
  const bell = sound();
  let conversation: Conversation | undefined;
  /** The number of the last message that has come by the line. What the visitor himself has sent may be further on. */
  let seen = -1;
  let read = 0;
  let online: boolean | undefined;
  let invitation: string | undefined;
  let typed = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  /** Whether conversations can be sent by mail, and an operator has said something in this one. */
  let mails = false;
  let answered = false;
  /** Numbers of messages that the visitor has not read. */
  let unread: number[] = [];
  const title = titles(texts);
  const { ring, speak } = unseen(shell, bell, () => known(), () => (over ? Infinity : read));

  const known = (): number => (conversation ? conversation.id : 0);
  const wire = line(core, () => seen, known, take, () => box.go());
  const box = outbox(shell, wire, known, said, draw);
  const view = log(shell, { download, address, retry: box.retry, drop: box.drop, before: fetchEarlier });
  const writing = compose(shell, add, (file, shown) => add('', file, shown), typing);
  const mail = mailing(shell, known);
  const reach = where(shell, add);
  const rate = rating(shell, known);
  const state = stateLine(shell, wire, () => ({ online, conversation }), () => shell.leave(writing.text));
  shell.dress(style);
  each([view, reach, rate, mail, state, writing], ({ element }) => shell.body.appendChild(element));

  function take(news: News): void {
    if (over) {
      return;
    }
    if (news.conversation) {
      changed(news.conversation);
    }
    const messages = news.messages || [];
    const beginning = seen < 0;
    if (beginning) {
      view.before(news.earlier ? 1 : 0);
      if (!news.conversation) {
        shell.keep('conversation', undefined);
      }
    }
    let fresh = false;
    const added: Message[] = [];
    each(messages, (message) => {
      if (message.seq > seen) {
        seen = message.seq;
        added[added.length] = message;
        if (message.id) {
          box.drop(message.id);
        }
        if (message.from !== 'visitor' && message.seq > read) {
          unread[unread.length] = message.seq;
          fresh = fresh || !beginning;
        }
        if (message.from === 'operator') {
          answered = true;
          state.quiet();
        }
      }
    });
    seen = Math.max(0, seen);
    if (added.length) {
      view.add(added);
      reach.heard(added);
      if (!beginning) {
        live();
      }
    }
    state.opens(news.opens);
    if (news.online !== undefined && news.online !== online) {
      turned(news.online);
    }
    if (news.typing) {
      state.typing();
    }
    mails = mails || !!news.mail;
    mail.offer(mails && answered);
    rate.heard(news);
    if (fresh && !looks()) {
      ring(unread[unread.length - 1]);
    }
    if (beginning && !shell.shown) {
      speak(messages);
    }
    draw();
    noteRead();
    if (beginning && !wanted()) {
      wire.close();
    }
  }

  function changed(now: Conversation): void {
    const before = conversation;
    conversation = now;
    read = Math.max(read, now.seen);
    if (now.state === 'closed' && !box.list.length) {
      shell.keep('chat', undefined);
    }
    shell.keep('conversation', goesOn(conversation) ? String(now.id) : undefined);
    if (now.banned !== !!(before && before.banned)) {
      state.quiet();
    }
    if (now.operator && before && before.operator !== now.operator) {
      shell.say(texts['chat.joined'].replace('{name}', () => now.operator));
    }
  }

  /** Keeps other pages listening. */
  function live(): void {
    if (!conversation || conversation.state !== 'closed') {
      shell.keep('chat', String(Date.now()));
    }
  }

  function said(now: Conversation, message: Message): void {
    if (over) {
      return;
    }
    changed(now);
    view.add([message]);
    live();
    draw();
    wire.open();
  }

  function turned(there: boolean): void {
    const before = online;
    online = there;
    state.quiet();
    if (before && !there) {
      state.left();
    }
    // They may have left while the chat was opening.
    if (before !== false && !there && shell.shown && writing.text && !goesOn(conversation)) {
      const text = writing.text;
      writing.clear();
      shell.leave(text);
    }
  }

  function looks(): boolean {
    return shell.shown && !document.hidden;
  }

  function draw(): void {
    if (over) {
      return;
    }
    view.mark(box.list, conversation ? conversation.read : 0);
    rate.ask(shell.widget.rating && answered && !!conversation && !goesOn(conversation) && !box.list.length);
    let count = 0;
    each(unread, (seq) => (count += seq > read ? 1 : 0));
    shell.unread(count);
    title.show(count);
  }

  /** Tells the service how far the visitor has read. */
  function noteRead(): void {
    const at = unread[unread.length - 1];
    if (looks() && conversation && at > read) {
      read = at;
      unread = [];
      core.call('chat/read', { seq: at, conversation: conversation.id });
      draw();
    }
  }

  function typing(): void {
    if (conversation && online && Date.now() - typed > typingEvery) {
      typed = Date.now();
      core.call('chat/typing', { conversation: conversation.id });
    }
  }

  function add(text: string, file?: File, shown?: HTMLElement): void {
    bell.allow();
    box.add(text, invitation, file, shown);
    invitation = undefined;
    live();
  }

  async function download(id: number, name: string): Promise<void> {
    const link = await wire.link(id);
    if (link) {
      make('a', { href: core.base + 'v1/chat/file?t=' + link + '&f=' + id, download: name }).click();
    }
  }

  async function address(id: number, again: boolean): Promise<string> {
    return core.base + 'v1/chat/file?t=' + (await wire.token(again)) + '&f=' + id;
  }

  async function fetchEarlier(before: number): Promise<void> {
    const news = await wire.ask({ before });
    if (news && !over) {
      view.before(news.earlier ? 1 : 0);
      view.add(news.messages || [], true);
      draw();
    }
  }

  /** For how many milliseconds more the conversation is listened to without being open; not above 0 for no more. */
  function remaining(): number {
    return Number(shell.kept('chat') || 0) + lively - Date.now();
  }

  /** Whether the conversation is listened to. */
  function wanted(): boolean {
    return shell.shown || box.list.length > 0 || remaining() > 0;
  }

  function listen(): void {
    const more = remaining();
    clearTimeout(idle);
    if (more > 0) {
      idle = setTimeout(listen, more);
    }
    // Whether there is something to read in a conversation that goes on is asked once on each page.
    if (wanted() || (seen < 0 && shell.kept('conversation'))) {
      wire.open();
      box.go();
    } else {
      wire.close();
    }
  }

  document.addEventListener('visibilitychange', noteRead);
  if (remaining() <= 0) {
    shell.keep('chat', undefined);
  }
  listen();
  draw();

  return {
    open(text) {
      bell.allow();
      each(shell.widget.invitations, (one) => (invitation = text === one.text ? one.id : invitation));
      view.invite(text);
      shell.show(writing.input);
    },
    show: () => shell.show(null),
    toggled(shown) {
      listen();
      if (shown) {
        writing.fit();
        view.down();
        noteRead();
      }
    },
    draft: () => writing.text,
    changed: listen,
    end() {
      over = true;
      wire.end();
      title.show(0);
      view.end();
      state.end();
      clearTimeout(idle);
      document.removeEventListener('visibilitychange', noteRead);
    },
  };
};

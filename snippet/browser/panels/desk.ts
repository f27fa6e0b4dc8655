import { each, text } from '../text';
import { icon, make } from './dom';
import { firstWord } from './first';
import { frame, isNarrow, type View } from './frame';
import { bubble, type Landing, suits } from './invitation';
import { keeping } from './keep';
import { notices } from './notice';
import { phone as makePhone, statuses } from './phone';
import { request as makeRequest } from './request';
import type { Chat, Core, Invitation, Panels, Shell, StartChat, Widget } from './shell';

/** The name of the chat's asset. */
declare const __chat: string;

/** Milliseconds for which an answer of the service counts, and for which the core script keeps it current after it was asked. */
const fresh = 30_000;
const keptCurrent = 300_000;

export interface Desk extends Panels {
  /** Takes everything off the page. */
  end(): void;
}

/** All panels of one page. `told` says whether an operator was available when the service said how they look. */
export function desk(core: Core, language: string, texts: Record<string, string>, widget: Widget, told: boolean): Desk {
  const shell = frame({ texts, widget, language, wanted, turned });
  const { views } = shell;
  const { kept, keep } = keeping(core.key);
  const outside = notices(shell.outside, texts['panel.close']);
  const inside = notices(shell.inside, texts['panel.close']);
  const request = makeRequest(core, views.request, texts, widget, shell.close, () => group);
  const phone = makePhone(core, views.phone, language, texts, widget, shell.close, () => group);
  let chat: Chat | undefined;
  let loading: Promise<Chat | undefined> | undefined;
  let tries = 0;
  let over = false;
  let launched = false;
  /** Until when it is known who is there. */
  let until = Date.now() + fresh;
  let watching: ReturnType<typeof setInterval>;
  let unasked: (() => void) | undefined;
  let invited: HTMLElement | undefined;
  let group: number | undefined;

  const chatShell: Shell = {
    core,
    language,
    texts,
    widget,
    make,
    icon,
    dress: shell.dress,
    body: views.chat,
    get shown() {
      return shell.shown === 'chat';
    },
    get group() {
      return group;
    },
    show: (into) => shell.open('chat', widget.title || texts['chat.title'], into),
    close: shell.close,
    leave: (text) => openRequest(text, true),
    speak: (text) => show(text),
    unread: shell.unread,
    say: shell.say,
    notice,
    kept,
    keep,
  };

  /** Says it over the page, and where the panel is open, in the panel, of which it hides nothing. */
  function notice(text: string, failed?: boolean): void {
    shell.settle();
    (shell.shown ? inside : outside)(text, failed);
  }

  async function load(): Promise<Chat | undefined> {
    try {
      const { start }: { start: StartChat } = await import(core.base + 'assets/' + __chat + '?' + tries++);
      return over ? undefined : (chat = start(chatShell));
    } catch {
      return undefined; // It cannot be had.
    }
  }

  /** Whether somebody is there. Before the page has its ids, as before the visitor has agreed, it is not kept current. */
  function online(): boolean {
    const view = core.view();
    const current = view && view.credentials;
    if (current) {
      until = Date.now() + keptCurrent;
    }
    return core.online() || (told && !current);
  }

  /** Whether somebody is there, asked for if what is known is old. */
  async function present(): Promise<boolean> {
    if (Date.now() > until) {
      const { success, data } = await core.request('status?k=' + encodeURIComponent(core.key));
      if (success) {
        until = Date.now() + fresh;
        online(); // From now on it is kept current.
        return (told = data.online === true);
      }
    }
    return online();
  }

  /** The chat, loaded when somebody first wants it; undefined while it cannot be had. */
  async function conversation(): Promise<Chat | undefined> {
    loading = loading || load();
    const found = await loading;
    loading = found && loading;
    return found;
  }

  async function openChat(invitation?: string): Promise<void> {
    // A conversation stays one, whoever is there.
    const there = widget.chat && (!!kept('conversation') || (await present()));
    const found = there ? await conversation() : undefined;
    if (found) {
      found.open(invitation);
    } else if (!over) {
      openRequest(chat ? chat.draft() : kept('draft', true), widget.chat && !there);
    }
  }

  /**
   * A chat that was open stays open on the next page of the tab, without taking the focus. On a small screen it would hide the page
   * that the visitor has gone to: there it only stays when the page is loaded again. The link of a letter opens it on any page: '*'.
   */
  async function reopen(): Promise<void> {
    const was = kept('open', true);
    if (was && widget.chat && (!isNarrow() || was === '*' || was === location.href) && (kept('conversation') || (await present()))) {
      const found = await conversation();
      if (found && !shell.shown) {
        found.show();
      }
    }
  }

  function openRequest(message?: string, away = widget.chat && !online()): void {
    const into = request.prepare(away, message);
    shell.open('request', widget.title || texts['request.title'], into);
  }

  function openPhone(): void {
    if (widget.sitephone) {
      shell.open('phone', texts['phone.title'], phone.prepare());
    } else {
      openRequest();
    }
  }

  function wanted(view: 'write' | 'phone'): void {
    uninvite();
    if (view === 'phone') {
      openPhone();
    } else {
      openChat();
    }
  }

  function turned(view: View | undefined): void {
    if (view) {
      uninvite();
    }
    if (!over) {
      keep('open', view === 'chat' ? location.href : undefined, true);
    }
    if (chat) {
      chat.toggled(view === 'chat');
    }
  }

  function uninvite(): void {
    if (invited && invited.parentNode) {
      invited.parentNode.removeChild(invited);
    }
    invited = undefined;
  }

  function invite({ id, text }: Invitation): void {
    keep('invited:' + id, '1');
    show(text, text);
  }

  /** Shows the text beside the launcher. `invitation` is what the visitor answers, if that is not in the conversation. */
  function show(text: string, invitation?: string): void {
    shell.settle();
    uninvite();
    const answered = (): void => {
      uninvite();
      openChat(invitation);
    };
    invited = bubble(text, texts['invitation.label'], texts['invitation.answer'], texts['panel.close'], answered, uninvite);
    shell.all.appendChild(invited);
  }

  /** With what the visit has come, as its first page knew it. */
  function landing(): Landing {
    const known = kept('landing', true) || location.href + ' ' + document.referrer;
    keep('landing', known, true);
    const end = known.indexOf(' ');
    return { address: known.slice(0, end), referrer: known.slice(end + 1) };
  }

  /** Looks each second whether somebody is to be spoken to, by the first rule that fits. A page does so once. */
  function watch(): void {
    let seconds = 0;
    clearInterval(watching);
    const from = landing();
    watching = setInterval(() => {
      seconds += document.hidden ? 0 : 1;
      let spoken = !!shell.shown || !core.online();
      each(widget.invitations, (invitation) => {
        if (!spoken && invitation.after <= seconds && suits(invitation, from) && !kept('invited:' + invitation.id)) {
          spoken = true;
          clearInterval(watching);
          invite(invitation);
        }
      });
    }, 1000);
  }

  /** An operator has begun a conversation: the page hears it as one that goes on. */
  function begun(id: number): void {
    keep('conversation', String(id));
    conversation();
  }

  return {
    launch() {
      if (core.settings.disableWidgets) {
        return;
      }
      online(); // From now on it is kept current.
      if (widget.launcher) {
        shell.launch();
      }
      if (widget.chat && widget.invitations.length) {
        watch();
      }
      if (widget.chat && widget.launcher && !unasked) {
        unasked = firstWord(core, () => !chat && !shell.shown, begun);
      }
      if (chat) {
        chat.changed();
      } else if (widget.chat && (kept('chat') || kept('conversation'))) {
        conversation();
      }
      if (!launched) {
        launched = true;
        reopen();
      }
    },
    chat(wish) {
      group = groupOf(wish);
      openChat();
    },
    request(wish) {
      group = groupOf(wish);
      openRequest();
    },
    phone(wish) {
      group = groupOf(wish);
      openPhone();
    },
    notice: (status) => notice(statuses(texts)[status] || statuses(texts)[3], status > 0),
    end() {
      over = true;
      clearInterval(watching);
      if (unasked) {
        unasked();
      }
      if (chat) {
        chat.end();
      }
      chat = undefined; // Closing the panel would open its line again.
      shell.end();
    },
  };
}

/** The group that a page names; undefined where it names none, as where a click's event is given. */
function groupOf(wish: unknown): number | undefined {
  try {
    const id = Number(text(Object(wish).group_id));
    return id > 0 && id <= Number.MAX_SAFE_INTEGER && id % 1 === 0 ? id : undefined;
  } catch {
    return undefined; // It may not be looked at.
  }
}

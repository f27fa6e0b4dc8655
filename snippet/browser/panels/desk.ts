import { each } from '../text';
import { icon, make } from './dom';
import { frame, type View } from './frame';
import { bubble, type Landing, suits } from './invitation';
import { notices } from './notice';
import { phone as makePhone, statuses } from './phone';
import { request as makeRequest } from './request';
import type { Chat, Core, Invitation, Panels, Shell, StartChat, Widget } from './shell';

/** The name of the chat's asset. */
declare const __chat: string;

export type Desk = Panels;

/** All panels of one page. */
export function desk(core: Core, language: string, texts: Record<string, string>, widget: Widget): Desk {
  const shell = frame({ texts, widget, language, wanted, turned });
  const { views } = shell;
  const tell = notices(shell.all, texts['panel.close']);
  const request = makeRequest(core, views.request, texts, widget, shell.close);
  const phone = makePhone(core, views.phone, language, texts, widget, shell.close);
  let chat: Chat | undefined;
  let loading: Promise<Chat | undefined> | undefined;
  let tries = 0;
  let over = false;
  let inviting: ReturnType<typeof setTimeout>[] = [];
  let invited: HTMLElement | undefined;
  let launched = false;

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
    show: (into) => shell.open('chat', widget.title || texts['chat.title'], into),
    close: shell.close,
    leave: (text) => openRequest(text),
    unread: shell.unread,
    say: shell.say,
    notice: tell,
    kept,
    keep,
  };

  function slot(name: string): string {
    return 'cs:' + core.key + ':' + name;
  }

  function kept(name: string): string | undefined {
    try {
      return localStorage.getItem(slot(name)) || undefined;
    } catch {
      return undefined; // Nothing may be kept.
    }
  }

  function keep(name: string, value: string | undefined): void {
    try {
      if (value === undefined) {
        localStorage.removeItem(slot(name));
      } else {
        localStorage.setItem(slot(name), value);
      }
    } catch {
      // Nothing may be kept.
    }
  }

  async function load(): Promise<Chat | undefined> {
    try {
      await import(core.base + 'assets/' + __chat + '?' + tries++);
    } catch {
      // It may be there from a run before.
    }
    const start = (window as unknown as Record<symbol, StartChat | undefined>)[Symbol.for('svc:chat')];
    return start && !over ? (chat = start(chatShell)) : undefined;
  }

  /** The chat, loaded when somebody first wants it; undefined while it cannot be had. */
  async function conversation(): Promise<Chat | undefined> {
    loading = loading || load();
    const found = await loading;
    loading = found && loading;
    return found;
  }

  async function openChat(invitation?: string): Promise<void> {
    const found = widget.chat && core.online() ? await conversation() : undefined;
    if (found) {
      found.open(invitation);
    } else if (!over) {
      openRequest(chat && chat.draft());
    }
  }

  function openRequest(message?: string): void {
    const into = request.prepare(widget.chat && !core.online(), message);
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
    if (shell.shown || invited || kept('invited:' + id) || !core.online()) {
      return;
    }
    keep('invited:' + id, '1');
    const answered = (): void => {
      uninvite();
      openChat(text);
    };
    invited = bubble(text, texts['invitation.label'], texts['invitation.answer'], texts['panel.close'], answered, uninvite);
    shell.all.appendChild(invited);
  }

  /** With what the visit has come, as its first page knew it. */
  function landing(): Landing {
    let known = location.href + ' ' + document.referrer;
    try {
      known = sessionStorage.getItem(slot('landing')) || known;
      sessionStorage.setItem(slot('landing'), known);
    } catch {
      // Nothing may be kept: each page is the first.
    }
    const end = known.indexOf(' ');
    return { address: known.slice(0, end), referrer: known.slice(end + 1) };
  }

  function schedule(): void {
    each(inviting, clearTimeout);
    inviting = [];
    const from = landing();
    each(widget.chat ? widget.invitations : [], (invitation) => {
      if (suits(invitation, from) && !kept('invited:' + invitation.id)) {
        inviting[inviting.length] = setTimeout(invite, invitation.after * 1000, invitation);
      }
    });
  }

  return {
    launch() {
      if (core.settings.disableWidgets || !widget.launcher) {
        return;
      }
      core.online(); // From now on it is kept current.
      shell.launch();
      schedule();
      if (!launched && widget.chat && kept('chat')) {
        conversation();
      }
      launched = true;
      if (chat) {
        chat.changed();
      }
    },
    chat: () => void openChat(),
    request: () => openRequest(),
    phone: openPhone,
    notice: (status) => tell(statuses(texts)[status] || statuses(texts)[3], status > 0),
    end() {
      over = true;
      each(inviting, clearTimeout);
      if (chat) {
        chat.end();
      }
      shell.end();
    },
  };
}

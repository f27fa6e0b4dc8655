// The page within the page of a site's panels: the panels themselves, as the form beside it says. Nothing they do goes anywhere.

const { panels: address, digits, hello, answer, name } = (document.currentScript as HTMLScriptElement).dataset as Record<string, string>;

/** What the panels are told of a site, as far as it is changed here; see [site.Look]. */
interface Look {
  language: string;
  widget: { invitations: { id: string; after: number; address: string; source: string }[] };
}

/** What the page around says: the look, which panel is open, and in which colours. */
interface Told {
  look: Look;
  view: string;
  scheme: string;
}

let scheme = 'light';
let shown: string | undefined;
let begun = false;
let part: { show(name: string, ...given: unknown[]): void } | undefined;

// The panels follow the system. Here they follow what is chosen, and come without moving when a letter has been typed.
const replace = CSSStyleSheet.prototype.replaceSync;
CSSStyleSheet.prototype.replaceSync = function (css) {
  const dark = scheme === 'dark' ? '@media all' : '@media not all';
  const still = begun && css.includes('@keyframes') ? '*{animation:none!important}' : '';
  replace.call(this, css.replaceAll('@media(prefers-color-scheme:dark)', dark).replaceAll('color-scheme:light dark', 'color-scheme:' + scheme) + still);
};
// Nobody is led away from the form.
const focusOn = HTMLElement.prototype.focus;
HTMLElement.prototype.focus = function (...options) {
  if (document.hasFocus()) {
    focusOn.apply(this, options);
  }
};
// Nothing is kept of what is seen here.
for (const store of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, store, {
    get() {
      throw new DOMException('a preview keeps nothing', 'SecurityError');
    },
  });
}

/** The stream of a conversation in which nothing more is said. */
class Silence {
  onmessage?: (event: { data: string }) => void;
  constructor() {
    setTimeout(() => this.onmessage?.({ data: '{}' }));
  }
  close(): void {}
}
Object.assign(window, { EventSource: Silence });

const well = (data: object) => ({ success: true, status: 200, data: { success: true, ...data } });

const conversation = { id: 1, state: 'open', operator: name, read: 1, seen: 2, banned: false };

function chat(body: string): unknown {
  const at = Date.now() - 60000;
  const messages = [
    { seq: 1, from: 'visitor', id: 'preview-hello-000000', text: hello, at },
    { seq: 2, from: 'operator', operator: name, text: answer, at: at + 20000 },
  ];
  return well({ online: true, stream: 'preview', conversation, messages: JSON.parse(body).after === null ? messages : [] });
}

function said({ id, request: { text } }: { id: string; request: { text: string } }): object {
  conversation.seen = conversation.read = Math.max(3, conversation.seen + 1);
  return { conversation: { ...conversation }, message: { seq: conversation.seen, from: 'visitor', id, text, at: Date.now() } };
}

/** Calls the service, which is not there: each call does well, after a while. */
function call(route: string, body: any, settled?: (answer: unknown) => void): void {
  setTimeout(() => settled?.(well(route === 'chat/say' ? said(body) : { result: { status: 0, code: '' } })), 400);
}

async function request(look: Look, online: boolean, route: string, body: string): Promise<unknown> {
  if (route === 'chat') {
    return chat(body);
  }
  if (route.startsWith('widget')) {
    return well({ online, ...look });
  }
  return well(route.startsWith('captcha') ? { key: 'preview', url: digits, sound: '' } : {});
}

function draw({ look, view, scheme: chosen }: Told): void {
  begun = shown === view;
  scheme = chosen;
  shown = view;
  document.documentElement.className = chosen;
  document.documentElement.lang = look.language;
  // An invitation is seen at once, on the page alone.
  look.widget.invitations = look.widget.invitations
    .slice(0, view === 'page' ? 1 : 0)
    .map((first) => ({ ...first, id: String(Math.random()), after: 0, address: '', source: '' }));
  const online = view !== 'request';
  const ask = (route: string, body: string): Promise<unknown> => request(look, online, route, body);
  const anew: typeof call = (...given) => call(...given); // panels with another function to call are drawn anew
  const show = (panel: string): void => part!.show(panel, undefined, '/', 'preview', {}, anew, ask, () => online, () => ({ credentials: {} }));
  show('launch');
  if (view !== 'page') {
    show(view);
  }
}

addEventListener('message', ({ source, origin, data }) => {
  if (part && source === parent && origin === location.origin) {
    draw(data);
  }
});
import(address).then((loaded) => {
  part = loaded;
  parent.postMessage('ready', location.origin);
});

export {};

import { each } from '../text';
import { accentRules } from './color';
import { empty, icon, make, set, signButton, signs } from './dom';
import { place } from './place';
import type { Widget } from './shell';
import { narrow, style } from './style';

/** The three contents of the panel. */
export type View = 'chat' | 'request' | 'phone';

/** What the frame asks of who fills it. */
export interface Filling {
  texts: Record<string, string>;
  widget: Widget;
  language: string;
  /** The launcher or one of the ways was pressed. */
  wanted(view: 'write' | 'phone'): void;
  /** The panel shows another view, or none. */
  turned(view: View | undefined): void;
}

export interface Frame {
  /** The containers of the views. */
  views: Record<View, HTMLElement>;
  /** The view that is shown, while the panel is open. */
  readonly shown: View | undefined;
  /** Shows a view under the title. The focus goes to `into`, to the first field else; nowhere if it is null. */
  open(view: View, title: string, into?: HTMLElement | null): void;
  close(): void;
  /** Shows the launcher. */
  launch(): void;
  unread(count: number): void;
  /** Where invitations are put. */
  all: HTMLElement;
  /** Where notices are put: over the page, and in the panel. */
  outside: HTMLElement;
  inside: HTMLElement;
  /** Puts the panels back where the page has taken them away. */
  settle(): void;
  dress(css: string): void;
  say(text: string): void;
  end(): void;
}

/** Events of the keyboard and of the focus that stay inside: pages have short cuts of their own, and keep the focus in their dialogues. */
const own = 'keydown keyup keypress beforeinput input paste copy cut focusin focusout'.split(' ');

const focusable = 'button,input,select,textarea,a[href],[tabindex="0"]';

/**
 * Adds a style sheet, and returns what changes it. An index needs no iterator, which the page may have changed. Browsers before Safari
 * 16.4 make no sheets, and get an element, which a policy of the page lets through by its nonce.
 */
function adopt(root: ShadowRoot, css: string): (css: string) => void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets[root.adoptedStyleSheets.length] = sheet;
    return (changed) => sheet.replaceSync(changed);
  } catch {
    const sheet = document.createElement('style');
    const allowed = document.querySelector<HTMLElement>('script[nonce],style[nonce]');
    sheet.nonce = allowed ? allowed.nonce : '';
    sheet.textContent = css;
    root.appendChild(sheet);
    return (changed) => void (sheet.textContent = changed);
  }
}

/** Puts the one element into the page that holds all panels, and makes the launcher and the panel. */
export function frame({ texts, widget, language, wanted, turned }: Filling): Frame {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'closed' });
  adopt(root, style);
  adopt(root, accentRules(widget.color));
  const geometry = adopt(root, '');

  const views: Record<View, HTMLElement> = {
    chat: make('div', { class: 'chat', hidden: true }),
    request: make('div', { class: 'view', hidden: true }),
    phone: make('div', { class: 'view', hidden: true }),
  };
  const heading = make('h2', { id: 'title', tabindex: -1 });
  const face = widget.avatar && make('img', { class: 'face', alt: '', src: widget.avatar, error: () => set(face as HTMLElement, 'hidden', true) });
  const write = make('button', { type: 'button', class: 'way', click: () => wanted('write') }, icon(signs.chat), texts['panel.write']);
  const call = make('button', { type: 'button', class: 'way', click: () => wanted('phone') }, icon(signs.phone), texts['panel.call']);
  const ways = make('nav', { class: 'ways', 'aria-label': texts['panel.ways'], hidden: !widget.sitephone }, write, call);
  const head = make('div', { class: 'head' }, face || undefined, heading, signButton(signs.close, texts['panel.close'], close));
  const outside = make('div', { role: 'status' });
  const inside = make('div', { role: 'status' });
  const panel = make(
    'div',
    { class: 'panel', role: 'dialog', 'aria-labelledby': 'title', hidden: true, keydown: pressed },
    head,
    inside,
    views.chat,
    views.request,
    views.phone,
    ways,
  );
  const badge = make('span', { class: 'badge', 'aria-hidden': true, hidden: true });
  const launcher = make('button', { type: 'button', class: 'launcher', hidden: true, click: () => (shown ? close() : wanted('write')) });
  const voice = make('div', { class: 'unseen', role: 'status' });
  const all = make('div', { class: 'all', lang: language, dir: getComputedStyle(document.documentElement).direction }, launcher, panel, voice, outside);
  let shown: View | undefined;
  let unread = 0;
  let opener: HTMLElement | null = null;

  each(own, (type) => all.addEventListener(type, (event) => event.stopPropagation()));
  root.appendChild(all);
  // Frameworks that take a page over, and those that put another in its place, take away what is not theirs.
  const { settle, end: leave } = place(host, () => root.activeElement);
  mark();

  const viewport = window.visualViewport;
  /** A keyboard on the screen leaves a part of it to the panel. */
  function fit(): void {
    if (viewport) {
      geometry(`:host{--top:${Math.max(0, viewport.offsetTop)}px!important;--height:${viewport.height}px!important}`);
    }
  }

  /** Draws what depends on the state. */
  function mark(): void {
    settle();
    const launched = !launcher.hidden;
    set(all, 'class', `all ${widget.side === 'left' ? 'left' : 'right'}${launched ? ' with' : ''}${shown ? ' open' : ''}`);
    badge.hidden = !unread || !!shown;
    badge.textContent = unread > 99 ? '99+' : String(unread);
    empty(launcher);
    launcher.appendChild(icon(shown ? signs.close : signs.chat));
    launcher.appendChild(badge);
    const label = texts[shown ? 'launcher.close' : 'launcher.open'];
    set(launcher, 'aria-label', label + (badge.hidden ? '' : '. ' + texts['launcher.unread'].replace('{count}', String(unread))));
    set(launcher, 'aria-expanded', String(!!shown));
    set(write, 'aria-current', shown && shown !== 'phone' && 'true');
    set(call, 'aria-current', shown === 'phone' && 'true');
  }

  function open(view: View, title: string, into?: HTMLElement | null): void {
    if (!shown) {
      opener = (root.activeElement || document.activeElement) as HTMLElement | null;
    }
    const before = shown;
    shown = view;
    heading.textContent = title;
    each(Object.keys(views) as View[], (name) => (views[name].hidden = name !== view));
    panel.hidden = false;
    // Over a whole small screen nothing else can be reached.
    set(panel, 'aria-modal', isNarrow() && 'true');
    mark();
    if (viewport && !before) {
      fit();
      viewport.addEventListener('resize', fit);
      viewport.addEventListener('scroll', fit);
    }
    if (into !== null) {
      (into || views[view].querySelector<HTMLElement>('input,textarea') || heading).focus({ preventScroll: true });
    }
    if (before !== view) {
      turned(view);
    }
  }

  function close(): void {
    if (!shown) {
      return;
    }
    const inside = root.activeElement;
    shown = undefined;
    panel.hidden = true;
    mark();
    if (viewport) {
      viewport.removeEventListener('resize', fit);
      viewport.removeEventListener('scroll', fit);
    }
    if (inside) {
      const back = opener && opener !== document.body && opener.isConnected && opener !== host && !opener.hidden ? opener : launcher;
      back.focus({ preventScroll: true });
    }
    turned(undefined);
  }

  function pressed(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !event.isComposing) {
      event.preventDefault();
      close();
    } else if (event.key === 'Tab') {
      keep(event);
    }
  }

  /** The focus goes round in the panel: what follows it in the page would be the end of the page. */
  function keep(event: KeyboardEvent): void {
    let first: HTMLElement | undefined;
    let last: HTMLElement | undefined;
    each(panel.querySelectorAll<HTMLElement>(focusable), (element) => {
      if (element.getClientRects().length && !(element as HTMLButtonElement).disabled) {
        first = first || element;
        last = element;
      }
    });
    const at = root.activeElement;
    if (first && (event.shiftKey ? at === first || at === heading : at === last)) {
      event.preventDefault();
      (event.shiftKey ? last! : first).focus();
    }
  }

  return {
    views,
    get shown() {
      return shown;
    },
    open,
    close,
    launch() {
      launcher.hidden = false;
      mark();
    },
    unread(count) {
      unread = count;
      mark();
    },
    all,
    outside,
    inside,
    settle,
    dress: (css) => void adopt(root, css),
    say: (text) => (voice.textContent = text),
    end() {
      close();
      leave();
    },
  };
}

export function isNarrow(): boolean {
  return innerWidth <= narrow;
}

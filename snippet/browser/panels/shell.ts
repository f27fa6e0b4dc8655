import type { Call } from '../calls';
import type { Answer, View } from '../view';

/** What the core script gives the panels. */
export interface Core {
  /** The prefix of the service, with the slash at its end. */
  readonly base: string;
  readonly key: string;
  /** What the page has set, of whatever types, by the names of the commands. */
  readonly settings: Record<string, unknown>;
  /** A call of the service with the page's credentials, which is delivered once: see calls.ts. */
  call(route: string, body: Record<string, unknown> | undefined, settled?: (answer: Answer) => void, patient?: boolean): Call | undefined;
  /** Whether an operator is available, as is known. */
  online(): boolean;
  /**
   * One request: a POST of the content, which is JSON, or a GET when there is none. It never rejects. A GET is given up after 4 seconds, a
   * POST after 10.
   */
  request(route: string, content?: string): Promise<Answer>;
  /** The page view: its credentials, once they are known, or its hit prove whose it is. */
  view(): View | undefined;
}

/** What the core script calls. */
export interface Panels {
  /** Shows what the site shows by itself. Called again when the page has moved on. */
  launch(): void;
  /** Opens the chat when an operator is available, else the lead form. A page may name a group of operators: `{group_id}`. */
  chat(wish?: unknown): void;
  request(wish?: unknown): void;
  phone(wish?: unknown): void;
  /** Tells the visitor what has become of his call, by its status (browser interface, section 7). */
  notice(status: number): void;
}

/** What the panels' part exports: a module, of which a page has one, however often it loads the core script. */
export interface Part {
  /** Shows something for the run of the core script that gives itself here, in the order of Core. Panels of another run go. */
  show(
    name: keyof Panels,
    detail: unknown,
    base: string,
    key: string,
    settings: Core['settings'],
    call: Core['call'],
    request: Core['request'],
    online: Core['online'],
    view: Core['view'],
  ): void;
  /** Takes everything off the page. */
  end(): void;
}

/** A field of the lead form. Names other than name, phone, email and message are the site's own and come with a label. */
export interface Field {
  name: string;
  label?: string;
  required: boolean;
}

export interface Invitation {
  id: string;
  /** Seconds on the page. */
  after: number;
  /** Patterns of the page's path and of the visit's source, with * for any text; empty for all. */
  address: string;
  source: string;
  text: string;
}

/** How the panels of a site look and what they have: a part of what v1/widget answers. */
export interface Widget {
  launcher: boolean;
  side: 'right' | 'left';
  /** The accent, as #rrggbb. */
  color: string;
  /** The address of a picture, or empty. */
  avatar: string;
  title: string;
  greeting: string;
  fields: Field[];
  chat: boolean;
  files: boolean;
  rating: boolean;
  sitephone: boolean;
  captcha: boolean;
  mask: string;
  invitations: Invitation[];
}

/** What an element may be made of: attributes by their names, listeners by `on` and the event, `hidden` and the like as they are. */
export type Attributes = Record<string, string | number | boolean | undefined | ((event: any) => void)>;

/**
 * What the chat part is given. The page's own changes of built-in objects may be hostile: no methods of arrays, no spread, no loops
 * over iterators, no JSON; see text.ts for what stands in for these.
 */
export interface Shell {
  readonly core: Core;
  /** The language of the texts. */
  readonly language: string;
  /** The texts of locales/panels, with what the site has put in their place. */
  readonly texts: Record<string, string>;
  readonly widget: Widget;
  /** The number of the group for which the page has opened a panel; undefined for none. */
  readonly group: number | undefined;
  /** Makes an element of the panels' own document. */
  make(tag: string, attributes?: Attributes, ...inside: (Node | string | undefined)[]): HTMLElement;
  /** A sign of 24 by 24 by the data of its paths. */
  icon(paths: string): SVGElement;
  /** Adds rules to the panels' own styles. The names of its variables stand in panels/style.ts. */
  dress(css: string): void;
  /** Where the chat puts its elements. It is shown by `show` and hidden otherwise. */
  readonly body: HTMLElement;
  /** Whether the panel is open and shows the chat. */
  readonly shown: boolean;
  /** Opens the panel with the chat in it; the focus goes to `into`, and nowhere if that is null. */
  show(into: HTMLElement | null): void;
  close(): void;
  /** Nobody is there: the lead form takes the chat's place, with the text that the visitor was writing. */
  leave(text: string): void;
  /** Shows beside the launcher what an operator says to a visitor who has not asked; nothing is opened by that. */
  speak(text: string): void;
  /** How many messages are unread: shown at the launcher. */
  unread(count: number): void;
  /** Tells a screen reader something, politely. */
  say(text: string): void;
  /** A short notice over the page. */
  notice(text: string, failed?: boolean): void;
  /** What is kept for the site in this browser, or in this tab, over its pages; undefined where nothing is or may be. */
  kept(name: string, tab?: boolean): string | undefined;
  keep(name: string, value: string | undefined, tab?: boolean): void;
}

/** What the chat part gives back. */
export interface Chat {
  /** The visitor wants to write, in answer to the invitation if one is given. */
  open(invitation?: string): void;
  /** Shows the chat without taking the focus. */
  show(): void;
  /** The panel with the chat was opened or closed, by whomever. */
  toggled(shown: boolean): void;
  /** What the visitor is writing and has not sent. */
  draft(): string;
  /** The page has moved on, or an operator has come or gone. */
  changed(): void;
  end(): void;
}

/** The chat part is a module that exports this as `start`. */
export type StartChat = (shell: Shell) => Chat;

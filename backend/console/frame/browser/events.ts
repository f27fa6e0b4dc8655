/** What the parts of the console's script tell each other by events, since pages load them as several files. */
declare global {
  interface DocumentEventMap {
    /** Something has failed; without a text, nothing was sent. */
    complain: CustomEvent<{ element: Element; text?: string }>;
    /** The page has other contents now. */
    redrawn: Event;
    /** A lead that is on a list has changed; the detail is its row. */
    rewritten: CustomEvent<HTMLElement>;
    /** So many conversations call for the operator. */
    calling: CustomEvent<number>;
  }
  interface HTMLElementEventMap {
    /** The page's stream has brought this for the element. */
    told: CustomEvent<DocumentFragment>;
  }
}

export function complain(element: Element, text?: string): void {
  document.dispatchEvent(new CustomEvent('complain', { detail: { element, text } }));
}

export function tellRedrawn(): void {
  document.dispatchEvent(new Event('redrawn'));
}

/** The nearest element around an event that the selector finds. */
export function around(event: Event, selector: string): HTMLElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null;
}

/** The element of that id, which the page has. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

/** The first element inside that the selector finds, which is there. */
export function inside<E extends HTMLElement = HTMLElement>(within: ParentNode, selector: string): E {
  return within.querySelector<E>(selector)!;
}

/** Writes only what differs: a screen reader says again what is written again. */
export function write(element: Element, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** A page, or a part of one, that the server has sent. */
export function parsed(html: string): Document {
  return new DOMParser().parseFromString(html, 'text/html');
}

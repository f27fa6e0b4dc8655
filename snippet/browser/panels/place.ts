import { each } from '../text';

/** Where the host of all panels stands in the page. */
export interface Place {
  /** Puts the host where it is seen and can be used. */
  settle(): void;
  end(): void;
}

/** How often the host comes back by itself to a page that takes it away; after that, when the panels are opened. */
const mostReturns = 20;

const pressing = 'click mousedown mouseup pointerdown pointerup touchstart touchend'.split(' ');

/**
 * The host is the last in the document. While the page shows a modal dialogue, the host is in that, over it: browsers cover everything
 * else, and let nobody use it (HTML, 6.3.1). `focused` is what has the focus in the panels.
 */
export function place(host: HTMLElement, focused: () => Element | null): Place {
  const page = document.documentElement;
  let returns = 0;

  function settle(): void {
    const dialogue = modal();
    const at = dialogue || page;
    if (host.parentNode === at && host.isConnected) {
      return;
    }
    const focus = host.isConnected && (focused() as HTMLElement | null);
    if (host.isConnected) {
      host.setAttribute('data-moved', ''); // What is shown already does not come in again.
    }
    at.appendChild(host);
    try {
      // Over the dialogue and not within its bounds.
      host.popover = dialogue ? 'manual' : null;
      if (dialogue) {
        host.showPopover();
      }
    } catch {
      // Older browsers have no popovers: it stands in the dialogue.
    }
    watch(!!dialogue);
    if (focus) {
      focus.focus({ preventScroll: true });
    }
  }

  const watched = new MutationObserver(() => {
    if (host.isConnected || returns++ < mostReturns) {
      settle();
    }
  });
  watched.observe(document, { attributeFilter: ['open'], subtree: true });

  /** A dialogue may be taken away with all that is in it. */
  function watch(within: boolean): void {
    watched.observe(page, { childList: true, subtree: within });
  }

  // A dialogue may close where something beside it is pressed.
  each(pressing, (type) =>
    host.addEventListener(type, (event) => {
      if (host.parentNode !== page) {
        event.stopPropagation();
      }
    }),
  );
  watch(false);
  return {
    settle,
    end() {
      watched.disconnect();
      if (host.parentNode) {
        host.parentNode.removeChild(host);
      }
    },
  };
}

/** The modal dialogue that is shown above the others; the one that stands last, where the page shows several. */
function modal(): Element | undefined {
  let found: Element | undefined;
  try {
    each(document.querySelectorAll('dialog:modal'), (one) => (found = one));
  } catch {
    // The browser has no modal dialogues, or does not tell.
  }
  return found;
}

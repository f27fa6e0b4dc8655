import { around, byId, complain, inside, tellRedrawn } from '../../frame/browser/events';
import type { Conversation } from './conversation';
import { plainly } from './unsent';

// What is done with the conversation: it is claimed, closed, handed over.

const fold = (open: HTMLElement): void => {
  inside(open, 'summary').focus();
  open.removeAttribute('open');
};

export function workOn({ at }: Conversation): void {
  const working = byId('working');
  const path = byId('path');
  let fresh: HTMLElement | null = null; // what it has become while somebody chooses

  function rework(): void {
    const focused = working.contains(document.activeElement);
    if (!fresh || (focused && working.querySelector('details[open]'))) {
      return;
    }
    if (fresh.innerHTML !== working.innerHTML) {
      working.replaceChildren(...fresh.childNodes);
      if (focused) {
        inside(working, 'summary').focus(); // whose second press does nothing
      }
    }
    fresh = null;
  }

  async function work(element: HTMLElement, fields: Record<string, string>): Promise<void> {
    element.setAttribute('aria-busy', 'true');
    const answer = await fetch(at + '/work', { method: 'POST', body: new URLSearchParams(fields), signal: AbortSignal.timeout(15000) }).catch(() => null);
    element.removeAttribute('aria-busy');
    if (answer?.redirected) {
      return location.reload();
    }
    if (!answer?.ok) {
      return complain(element, await plainly(answer));
    }
    const open = element.closest<HTMLElement>('details[open]');
    if (open) {
      fold(open);
    }
  }

  working.addEventListener('told', ({ detail }) => {
    fresh = inside(detail, 'div');
    rework();
  });
  working.addEventListener('toggle', rework, { capture: true });
  working.addEventListener('keydown', (event) => {
    const open = working.querySelector<HTMLElement>('details[open]');
    if (event.key === 'Escape' && open) {
      fold(open);
    }
  });
  working.addEventListener('click', (event) => {
    const button = around(event, '[data-do]');
    if (!button) {
      return;
    }
    const to = byId<HTMLSelectElement>('hand');
    if (button.dataset.do !== 'hand') {
      work(button, { do: button.dataset.do! });
    } else if (to.value) {
      work(button, { do: 'hand', to: to.value });
    } else {
      to.focus();
    }
  });
  document.addEventListener('click', (event) => {
    const open = working.querySelector('details[open]');
    if (open && !open.contains(event.target as Node)) {
      open.removeAttribute('open');
    }
  });

  path.addEventListener('told', ({ detail }) => {
    if (!path.contains(document.activeElement)) {
      path.replaceChildren(...inside(detail, 'div').childNodes);
      tellRedrawn();
    }
  });
}

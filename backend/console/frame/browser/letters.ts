import { around } from './events';

// Keys without Ctrl, by which lists are gone through. Operators may turn them off, in this browser.

const stored = 'keys-off';

export function areOff(): boolean {
  try {
    return localStorage.getItem(stored) !== null;
  } catch {
    return false;
  }
}

export function turn(on: boolean): void {
  try {
    if (on) {
      localStorage.removeItem(stored);
    } else {
      localStorage.setItem(stored, '');
    }
  } catch {
    // It is not kept then.
  }
}

/** The name of the key. Where letters are no Latin ones, the place of the key counts. */
function named(event: KeyboardEvent): string {
  if (event.key === '?' || (event.code === 'Slash' && event.shiftKey)) {
    return '?';
  }
  if (event.key === '/' || event.code === 'Slash') {
    return '/';
  }
  if (event.shiftKey) {
    return '';
  }
  return /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() : event.code.startsWith('Key') ? event.code.slice(3).toLowerCase() : '';
}

/** Has the keys do their deeds, but in fields and beside the dialog that explains them; help opens that. */
export function listen(deeds: Record<string, () => void>, dialog: HTMLDialogElement, help: string): void {
  deeds['?'] = () => dialog.showModal();
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented || dialog.open) {
      return;
    }
    const name = named(event);
    if (around(event, 'input, textarea, select') || !deeds[name] || (areOff() && name !== '?')) {
      return;
    }
    event.preventDefault();
    deeds[name]();
  });
  document.addEventListener('click', (event) => around(event, help) && dialog.showModal());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
}

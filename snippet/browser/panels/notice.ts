import { icon, make, signButton, signs } from './dom';

/** Milliseconds for which a notice stays, unless the visitor is at it. */
const stay = 8000;

/** A short notice over the page: one at a time. It gives how to take it away. */
export function notices(all: HTMLElement, close: string): (text: string, failed?: boolean) => void {
  // It is there before it says something: screen readers tell changes.
  const place = make('div', { role: 'status' });
  let gone: () => void = () => {};
  all.appendChild(place);
  return (text, failed) => {
    gone();
    let timer = 0;
    const wait = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(gone, stay);
    };
    const hold = (): void => clearTimeout(timer);
    const notice = make(
      'div',
      { class: failed ? 'notice bad' : 'notice', mouseenter: hold, mouseleave: wait, focusin: hold, focusout: wait },
      icon(failed ? signs.alert : signs.done),
      make('p', {}, text),
      signButton(signs.close, close, () => gone()),
    );
    gone = () => {
      clearTimeout(timer);
      if (notice.parentNode) {
        notice.parentNode.removeChild(notice);
      }
    };
    place.appendChild(notice);
    wait();
  };
}

import { icon, make, signButton, signs } from './dom';

/** Milliseconds for which a notice stays, unless the visitor is at it. */
const stay = 8000;

/** Short notices, one at a time, in an element that is there before: screen readers tell changes. It gives how to say one. */
export function notices(place: HTMLElement, close: string): (text: string, failed?: boolean) => void {
  let gone: () => void = () => {};
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

import { around, byId, inside } from '../../frame/browser/events';

/** Shows who the visitor is, where there is no room for that beside what was said, and hides it again. */
export function showWho(): void {
  const desk = inside(document, '.desk');
  const opener = inside(desk, '.conversation-head [data-who]');
  const who = byId('who');
  const show = (shown: boolean): void => {
    desk.classList.toggle('has-who', shown);
    opener.setAttribute('aria-expanded', String(shown));
    (shown ? who : opener).focus();
  };
  desk.addEventListener('click', (event) => {
    if (around(event, '[data-who]')) {
      show(!desk.classList.contains('has-who'));
    }
  });
  who.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && desk.classList.contains('has-who')) {
      show(false);
    }
  });
}

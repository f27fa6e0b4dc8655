import { inside, parsed } from './events';
import { tellTimes } from './times';

// The steps of an installation are taken elsewhere, so the page looks whether the next is done, until there is none.
const steps = '.first, [data-looks]';

let late: ReturnType<typeof setTimeout> | undefined;
const looking = document.querySelector(steps) ? setInterval(look, 5000) : undefined;

async function look(): Promise<void> {
  const main = inside(document, 'main');
  if (main.querySelector('details[open]') || main.contains(document.activeElement) || document.visibilityState !== 'visible') {
    return;
  }
  const answer = await fetch(location.href, { headers: { 'Console-Look': 'again' } }).catch(() => null);
  if (!answer?.ok || answer.redirected) {
    return;
  }
  const fresh = parsed(await answer.text()).querySelector('main');
  if (!fresh || main.contains(document.activeElement)) {
    return;
  }
  if (!fresh.querySelector(steps)) {
    clearInterval(looking);
    late ??= setTimeout(look, 12000); // figures come some seconds later
  }
  main.replaceWith(fresh);
  tellTimes(document);
}

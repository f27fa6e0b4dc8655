import { inside } from './events';

// Tells of conversations, and to admins of what is wrong with sites, on every page: beside the navigation, in the title, and to those who have asked for it by the system's
// notifications and a sound.

const can = 'Notification' in window && isSecureContext;

function isAsked(): boolean {
  try {
    return localStorage.getItem('alerts') === 'on';
  } catch {
    return false;
  }
}

function askFor(on: boolean): void {
  try {
    localStorage.setItem('alerts', on ? 'on' : 'off');
  } catch {
    // It is not kept then.
  }
}

const on = (): boolean => can && isAsked() && Notification.permission === 'granted';

function show(badge: HTMLElement, count: number): void {
  badge.dataset.count = String(count);
  badge.hidden = !count;
  badge.textContent = count > 99 ? '99+' : String(count);
  document.dispatchEvent(new CustomEvent('calling', { detail: count }));
}

/** Writes how many conversations a tab of the list has. */
function tellTab(name: string, count: string | undefined): void {
  const tab = document.querySelector(`.queue a[data-tab=${name}]`);
  if (!tab || count === undefined) {
    return;
  }
  tab.querySelector('b')?.remove();
  if (count !== '0') {
    tab.append(' ', Object.assign(document.createElement('b'), { textContent: count }));
  }
}

const worker = async (): Promise<ServiceWorkerRegistration | null | undefined> => navigator.serviceWorker?.getRegistration().catch(() => null);

// The page on which somebody reads a conversation takes away what was told of that, and holds a lock, for the others not to tell
// of it.
let leave: (() => void) | null = null;

function attend(): void {
  leave?.();
  leave = null;
  if (!document.hasFocus() || !document.querySelector('[data-chat]')) {
    return;
  }
  withdraw();
  if (navigator.locks) {
    const left = new Promise<void>((resolve) => (leave = resolve));
    navigator.locks.request('reading ' + location.pathname, { mode: 'shared' }, () => left);
  }
}

async function withdraw(): Promise<void> {
  for (const shown of (await (await worker())?.getNotifications()) ?? []) {
    if (shown.data?.link === location.pathname) {
      shown.close();
    }
  }
}

/** Of several open pages one tells. */
function tell(news: HTMLElement): void {
  const { tag, text } = news.dataset;
  const alone = () => alarm(news);
  if (navigator.locks) {
    navigator.locks.request(`alert ${tag} ${text}`, { ifAvailable: true }, (lock) => lock && alone());
  } else {
    alone();
  }
}

async function alarm(news: HTMLElement): Promise<void> {
  const { link, tag, from, text } = news.dataset as Record<string, string>;
  if ((await navigator.locks?.query())?.held!.some((lock) => lock.name === 'reading ' + link)) {
    return;
  }
  ring();
  const options = { body: text, tag, data: { link }, renotify: true };
  const active = await worker();
  if (active?.active) {
    await active.showNotification(from, options).catch(() => {});
  } else {
    const shown = new Notification(from, options);
    shown.onclick = () => {
      focus();
      location.assign(link);
    };
  }
  await new Promise((resolve) => setTimeout(resolve, 1500));
}

// Two short tones, made here: there is no file to load.
let sound: AudioContext | null = null;

function ring(): void {
  try {
    sound ??= new AudioContext();
    for (const [at, pitch] of [
      [0, 660],
      [0.12, 880],
    ]) {
      const tone = sound.createOscillator();
      const loud = sound.createGain();
      const from = sound.currentTime + at;
      tone.frequency.value = pitch;
      loud.gain.setValueAtTime(0.0001, from);
      loud.gain.exponentialRampToValueAtTime(0.12, from + 0.02);
      loud.gain.exponentialRampToValueAtTime(0.0001, from + 0.22);
      tone.connect(loud).connect(sound.destination);
      tone.start(from);
      tone.stop(from + 0.25);
    }
  } catch {
    // It stays silent.
  }
}

/** The button by which alerts are turned on and off. */
function prepare(button: HTMLElement): void {
  const state = (): void => button.setAttribute('aria-pressed', String(on()));
  button.hidden = false;
  state();
  button.addEventListener('click', async () => {
    if (on()) {
      askFor(false);
    } else {
      askFor((await Notification.requestPermission()) === 'granted');
      if (on()) {
        navigator.serviceWorker?.register('/worker.js').catch(() => {});
        ring();
      }
    }
    state();
  });
}

function begin(badge: HTMLElement): void {
  badge.addEventListener('told', ({ detail }) => {
    const told = inside(detail, '[data-count]');
    show(badge, Number(told.dataset.count));
    tellTab('waiting', told.dataset.waiting);
    tellTab('mine', told.dataset.mine);
    if (on()) {
      [...told.querySelectorAll<HTMLElement>('[data-link]')].filter((one) => !(document.hasFocus() && location.pathname === one.dataset.link)).forEach(tell);
    }
  });
  const button = document.querySelector<HTMLElement>('[data-alerts]');
  if (button && can) {
    prepare(button);
  }
  addEventListener('focus', attend);
  addEventListener('blur', attend);
  attend();
  show(badge, Number(badge.dataset.count));
}

// What is wrong with the sites stands beside them.
const wrong = document.getElementById('incidents');
wrong?.addEventListener('told', ({ detail }) => {
  const told = inside(detail, '[data-count]');
  wrong.textContent = told.dataset.count!;
  wrong.hidden = told.dataset.count === '0';
  if (on()) {
    told.querySelectorAll<HTMLElement>('[data-link]').forEach(tell);
  }
});

const badge = document.getElementById('chatting');
if (badge) {
  begin(badge);
}

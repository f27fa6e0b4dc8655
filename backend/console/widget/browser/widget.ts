import { byId, inside } from '../../frame/browser/events';

// The page of a site's panels: what they would look like as the form is filled in, beside it.

/** How long nothing is typed before the panels are drawn anew, in milliseconds. */
const pause = 150;

/** How wide and high a frame is, as a device, in pixels. It is as large on the page as there is room. */
const sizes: Record<string, [number, number]> = { desktop: [640, 680], telephone: [390, 680] };

// What is picked stays so when the form is drawn anew.
const picks: Record<string, string> = {};

/** Shows the panels of the form in the frame of the stage, until the page has another form. */
function dress(form: HTMLFormElement, stage: HTMLElement, frame: HTMLIFrameElement, signal: AbortSignal): void {
  const room = frame.parentElement!;
  let ready = false;
  let look: unknown;
  let timer: ReturnType<typeof setTimeout>;
  let asked: AbortController | undefined;

  const picked = (name: string): string => inside<HTMLInputElement>(stage, `input[name=${name}]:checked`).value;

  /** Has the panels drawn anew in the frame, as they were told last. */
  function show(): void {
    if (ready && look) {
      frame.contentWindow!.postMessage({ look, view: picked('view'), scheme: picked('scheme') }, location.origin);
    }
  }

  /** Learns what the panels would be told if the form were saved. An answer that comes late, or for another form, counts for nothing. */
  async function ask(): Promise<void> {
    const body = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
    body.set('in', picked('in'));
    const mine = (asked = new AbortController());
    const answer = await fetch(form.dataset.look!, { method: 'POST', body, signal: mine.signal }).catch(() => null);
    const told = answer?.ok && (await answer.json().catch(() => null));
    if (told && mine === asked && !signal.aborted) {
      look = told.look;
      warn(told.warnings ?? []);
      show();
    }
  }

  function warn(warnings: string[]): void {
    const list = inside(form, '[data-warnings]');
    if (list.textContent!.trim() !== warnings.join('')) {
      const made = warnings.map((text) => {
        const one = inside<HTMLTemplateElement>(form, 'template[data-warning]').content.cloneNode(true) as DocumentFragment;
        inside(one, 'span').textContent = text;
        return one;
      });
      list.replaceChildren(...made);
    }
  }

  function fit(): void {
    const [width, height] = sizes[picked('device')];
    const scale = Math.min(1, room.clientWidth / width);
    frame.style.width = width + 'px';
    frame.style.height = height + 'px';
    frame.style.transform = `scale(${scale})`;
    frame.style.marginInlineStart = Math.max(0, (room.clientWidth - width * scale) / 2) + 'px';
    room.style.height = height * scale + 'px';
  }

  /** Leaves the rows in the list that have what is typed. */
  function find(input: HTMLInputElement): void {
    const sought = input.value.trim().toLowerCase();
    let found = 0;
    for (const row of byId(input.dataset.finds!).children as HTMLCollectionOf<HTMLElement>) {
      const typed = [...row.querySelectorAll('textarea')].flatMap((area) => [area.value, area.placeholder]);
      row.hidden = ![row.textContent, ...typed].join(' ').toLowerCase().includes(sought);
      found += Number(!row.hidden);
    }
    const none = inside(form, '[data-found]');
    none.textContent = found ? '' : none.dataset.found!;
  }

  form.addEventListener('input', (event) => {
    const input = event.target as HTMLInputElement;
    if (input.dataset.finds) {
      return find(input);
    }
    if (input.dataset.colors) {
      byId<HTMLInputElement>(input.dataset.colors).value = input.value;
    }
    const swatch = input.id && form.querySelector<HTMLInputElement>(`[data-colors="${input.id}"]`);
    if (swatch && /^#[0-9a-f]{6}$/i.test(input.value)) {
      swatch.value = input.value;
    }
    asked?.abort();
    clearTimeout(timer);
    timer = setTimeout(ask, pause);
  });
  form.addEventListener('keydown', (event) => {
    // A text has one line.
    if (event.key === 'Enter' && !event.isComposing && (event.target as Element).matches('textarea, [data-finds]')) {
      event.preventDefault();
    }
  });
  stage.addEventListener('change', ({ target }) => {
    const { name, value } = target as HTMLInputElement;
    picks[name] = value;
    if (name === 'device') {
      fit();
    } else if (name === 'in') {
      ask();
    } else {
      show();
    }
  });
  addEventListener(
    'message',
    ({ source, origin, data }) => {
      if (source === frame.contentWindow && origin === location.origin && data === 'ready') {
        ready = true;
        show();
      }
    },
    { signal },
  );
  for (const [name, value] of Object.entries(picks)) {
    inside<HTMLInputElement>(stage, `input[name=${name}][value=${value}]`).checked = true;
  }
  new ResizeObserver(fit).observe(room);
  fit();
  ask();
}

let shown = new AbortController();

function begin(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-widget]');
  const stage = document.querySelector<HTMLElement>('[data-stage]');
  const frame = stage?.querySelector('iframe');
  shown.abort();
  shown = new AbortController();
  if (form && stage && frame) {
    dress(form, stage, frame, shown.signal);
  }
}

document.addEventListener('redrawn', begin);
begin();

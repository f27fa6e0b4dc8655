import { give } from './calls';
import { config } from './config';
import type { Block, Phone, start, Work } from './numbers/start';
import { base, nonce, settings } from './settings';
import { each } from './text';

const globals = window as unknown as Record<PropertyKey, any>;

let block: Block = { numbers: [], replaced: [] };

/** The numbers, in international form, that have been replaced on the page. */
const found = new Set<string>();

let work: Work | undefined;
let ended = false;

/** Looks for the numbers as soon as the whole page has been parsed. A hook that the page has set is kept. */
export function begin(): void {
  globals.__cs_onReplacePhones = globals.__cs_onReplacePhones || (() => true);
  if (document.readyState === 'loading') {
    document.addEventListener('DOMContentLoaded', issue);
  } else {
    issue();
  }
}

function issue(): void {
  const elements = document.querySelectorAll('script[data-svc-numbers]');
  try {
    block = JSON.parse(elements[elements.length - 1].textContent!);
  } catch {
    // None, or the page was cut off.
  }
  if (ended || !block.numbers.length) {
    return;
  }
  const script = document.createElement('script');
  script.src = base + 'assets/' + config.numbers;
  script.nonce = nonce;
  script.onload = () => {
    const begin: typeof start = globals[Symbol.for('svc:numbers')];
    work = ended ? work : begin(block, ask, found);
    follow();
  };
  script.onerror = ask;
  document.head.append(script);
}

/** Whether the page lets its numbers be replaced. Only a clear word against it counts. */
function ask(): boolean {
  return give(globals.__cs_onReplacePhones, places(() => true)) !== false;
}

/** The site has said, or not, that numbers are to be replaced in what is added to the page. */
export function follow(): void {
  if (work) {
    work.watch(settings.setDynamicalReplacement);
  }
}

export function end(): void {
  ended = true;
  if (work) {
    work.end();
  }
}

/** The numbers that were issued to the visitor, each time in records of the page's own. */
export function getPhones(): Phone[] {
  return block.numbers.map(({ id, img, text, raw, dt }) => ({ id, img, text, raw, dt }));
}

/** The elements that show those of dynamic tracking, null where no such number was issued. */
export function getDTPhones(): object[] | null {
  return block.numbers.some(({ dt }) => dt) ? places(({ dt }) => dt) : null;
}

/** The records of elements that are named by id, class or name: others are for `getPhones` only (specification, 2.5). */
function places(wanted: (phone: Phone) => boolean): object[] {
  return getPhones().filter((phone) => /^(#|\.|\[name=)[^\s>+~,]+$/.test(phone.id) && wanted(phone));
}

/**
 * What has been replaced on the page, by numbers as it carried them: what each has become; of one type, what has
 * become each of the numbers that are shown now.
 */
export function getReplacedPhones(type?: unknown): object {
  const replaced: Record<string, any> = {};
  each(block.numbers, ({ from, raw, dt }) => {
    const id = 'number=' + from;
    if (found.has(from)) {
      if (type == null) {
        replaced[id] = raw;
      } else if (type === (dt ? 'dynamic' : 'static')) {
        const ids: string[] = (replaced[raw] = replaced[raw] || []);
        if (ids.indexOf(id) < 0) {
          ids.push(id);
        }
      }
    }
  });
  return replaced;
}

import { give } from './calls';
import { config } from './config';
import { consented } from './consent';
import type { Block, Issued, Phone, start, Work } from './numbers/start';
import { base, key, nonce, served, settings } from './settings';
import { blockOf, each, encode } from './text';

const globals = window as unknown as Record<PropertyKey, any>;

/** What the page brings itself. */
let block: Block = { numbers: served.numbers || [], replaced: [] };

/** The records of the numbers in effect. */
let numbers = block.numbers;

/** The same, as they were issued last. */
let issued = '[]';

/** The same as the service has told them. */
let told: Issued[] | undefined;

/** The numbers, in international form, that have been replaced on the page. */
const found = new Set<string>();

/** Milliseconds for which the numbers of one page are those of the next one, until the service tells: those of a visit. */
const fresh = 1_800_000;

let guessed = false;
let parsed = false;
let loading = false;
let ended = false;
let part: typeof start | undefined;
let work: Work | undefined;

/** Looks for the numbers as soon as the whole page has been parsed. A hook that the page has set is kept. */
export function begin(): void {
  globals.__cs_onReplacePhones = globals.__cs_onReplacePhones || (() => true);
  if (document.readyState === 'loading') {
    document.addEventListener('DOMContentLoaded', read);
  } else {
    read();
  }
}

function read(): void {
  block = { ...block, ...blockOf('-numbers') };
  block.numbers = served.numbers || block.numbers;
  parsed = true;
  issue(told || block.numbers.length ? block.numbers : remembered());
  if (told) {
    issue(told);
  }
}

/**
 * Takes the numbers that the service tells with a page view: null where it does not know them now, undefined where the site
 * has none. `anew` says that the page has moved on without being loaded: then it is looked through once more.
 */
export function take(given: Issued[] | null | undefined, anew: boolean): void {
  if (!given && (given === null || !guessed)) {
    return;
  }
  told = given || [];
  each(told, (phone) => {
    if (phone.img && base.indexOf(location.origin + '/')) {
      phone.img = new URL(phone.img, base).href; // the page is another host's
    }
  });
  if (parsed) {
    issue(told, anew);
  }
  if (guessed || (told.length && numbers !== block.numbers)) {
    guessed = true;
    try {
      sessionStorage.setItem(slot(), encode([Date.now(), told]));
    } catch {
      // The page may store nothing.
    }
  }
}

/** The numbers of the session's last page, so that the next one shows them at once. */
function remembered(): Issued[] {
  try {
    // A page's first look into the storage makes it wait for the browser.
    const kept = config.tracking && sessionStorage.getItem(slot());
    const [at, last] = kept ? JSON.parse(kept) : [];
    if (Date.now() - at < fresh && consented()) {
      guessed = true;
      return last;
    }
  } catch {
    // None may be read.
  }
  return [];
}

function slot(): string {
  return 'cs:' + key;
}

function issue(given: Issued[], anew?: boolean): void {
  const writing = encode(given);
  const changed = writing !== issued;
  if (ended || !(changed || (anew && numbers.length))) {
    return;
  }
  if (changed) {
    issued = writing;
    numbers = writing === encode(block.numbers) ? block.numbers : given;
  }
  if (part) {
    run();
  } else if (!loading) {
    loading = true;
    const script = document.createElement('script');
    script.src = base + 'assets/' + config.numbers;
    script.nonce = nonce;
    script.onload = () => {
      part = globals[Symbol.for('svc:numbers')];
      run();
    };
    script.onerror = ask;
    document.head.append(script);
  }
}

function run(): void {
  if (!ended) {
    if (work) {
      work.end();
    }
    work = part!({ numbers, replaced: block.replaced, served: block.numbers }, ask, found);
    follow();
  }
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
  return numbers.map(({ id, img, text, raw, dt }) => ({ id, img, text, raw, dt }));
}

/** The elements that show those of dynamic tracking, null where no such number was issued. */
export function getDTPhones(): object[] | null {
  return numbers.some(({ dt }) => dt) ? places(({ dt }) => dt) : null;
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
  each(numbers, ({ from, raw, dt }) => {
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

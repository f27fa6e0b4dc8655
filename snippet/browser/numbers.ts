import { give } from './calls';
import { config, globals } from './config';
import { consented } from './consent';
import type { Block, Issued, Phone, start as Start, Work } from './numbers/start';
import { ended } from './page';
import { load } from './part';
import { base, key, served, settings } from './settings';
import { blockOf, each, encode } from './text';
import { isCopy } from './views';

/** What the page brings itself. */
let block: Block = { numbers: served.numbers || [], replaced: [] };

/** The records of the numbers in effect. */
let numbers = block.numbers;

/** The same, as they were issued last. */
let issued = '[]';

/** The records as they were told last, by the service, the page or the page before. */
let told: Issued[] | undefined;

/** When the leases of those that are the visitor's own may be over, in milliseconds of the clock. */
let until = Infinity;

/** Asks for the numbers anew. */
let renew: () => void;

/** Milliseconds for which the numbers of one page are those of the next one, until the service tells: those of a visit. */
const fresh = 1_800_000;

let guessed: boolean | undefined;
let parsed: boolean | undefined;
let loading: Promise<void> | undefined;
let part: typeof Start | undefined;
let work: Work | undefined;

/**
 * Looks for the numbers as soon as the whole page has been parsed. A hook that the page has set is kept. `ask` is called when
 * the page has lost numbers that were the visitor's own.
 */
export function begin(ask: () => void): void {
  renew = ask;
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
  const given = told;
  const at = until;
  if (given || block.numbers.length) {
    // A page from a cache was told of them at some time before.
    know(block.numbers, isCopy() ? 0 : performance.timeOrigin);
  } else {
    remember();
  }
  issue();
  if (given) {
    told = given;
    until = at;
    issue();
  }
}

/** Takes records that were asked for at that time, in milliseconds of the clock: their leases last from then on at least. */
function know(given: Issued[], asked: number): void {
  told = given;
  until = Infinity;
  each(told, (phone) => {
    if (phone.img && base.indexOf(location.origin + '/')) {
      phone.img = new URL(phone.img, base).href; // the page is another host's
    }
    if (phone.lasts) {
      until = Math.min(until, asked + phone.lasts * 1000);
      phone.lasts = 1; // the number is the same, however long it lasts
    }
  });
}

/** Whether numbers of the visitor's own were told last. A page that is looked at asks for them again and again. */
export function leased(): boolean {
  return until < Infinity;
}

/**
 * Takes the numbers that the service tells, when it was asked at that time: null where it does not know them now, undefined where the
 * site has none. `anew` says that the page has moved on without being loaded: then it is looked through once more.
 */
export function take(given: Issued[] | null | undefined, asked: number, anew?: boolean): void {
  if (!given && (given === null || !guessed)) {
    return;
  }
  know(given || [], asked);
  issue(anew);
  if (guessed || (told!.length && numbers !== block.numbers)) {
    guessed = true;
    try {
      sessionStorage.setItem(slot(), encode([asked, told, until]));
    } catch {
      // The page may store nothing.
    }
  }
}

/** The numbers of the session's last page, so that the next one shows them at once. */
function remember(): void {
  try {
    // A page's first look into the storage makes it wait for the browser.
    const kept = config.sentry && sessionStorage.getItem(slot());
    const [asked, last, lasting] = kept ? JSON.parse(kept as string) : [];
    if (Date.now() - asked < fresh && consented()) {
      guessed = true;
      told = last;
      until = lasting || Infinity;
    }
  } catch {
    // None may be read.
  }
}

function slot(): string {
  return 'cs:' + key;
}

/**
 * Shows the numbers that were told, once the page has been parsed. The printed ones come back where the visitor's may be another
 * visitor's by now. Whether others are in effect than before.
 */
export function issue(anew?: boolean): boolean {
  let given = told || [];
  if (Date.now() > until) {
    given = given.filter(({ lasts }) => !lasts);
  }
  const writing = encode(given);
  const changed = writing !== issued;
  if (!parsed || ended || !(changed || (anew && numbers.length))) {
    return false;
  }
  if (changed) {
    issued = writing;
    numbers = writing === encode(block.numbers) ? block.numbers : given;
  }
  run();
  return changed;
}

/** Loads the part, once. */
function start(): void {
  loading =
    loading ||
    load(config.numbers).then(() => {
      part = globals[Symbol.for('svc:numbers')];
      if (!ended) {
        (part ? run : ask)();
      }
    });
}

/** Has the numbers replaced by the part, or by what stands in for it while it is not needed. */
function run(): void {
  const make = part || (config.sentry as typeof Start);
  work = make && make({ numbers, replaced: block.replaced, served: block.numbers }, ask, part ? () => issue() && renew() : start);
  follow();
  if (!work) {
    start();
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

/** What has been replaced on the page; of all types, or of one. */
export function getReplacedPhones(type?: unknown): object {
  return work ? work.replaced(type) : {};
}

import { config, globals } from './config';
import { formsOf } from './numbers/forms';
import { hostsIn } from './numbers/hosts';
import { idle } from './numbers/idle';
import { observed } from './numbers/observed';
import { outcome } from './numbers/outcome';
import { zeros } from './numbers/rules';
import type { Block, Work } from './numbers/start';

/**
 * Most pages come with their numbers replaced, and show no printed one later. They do not need the part that replaces numbers. So the core
 * loads it only when the page may show a printed number, or has something that is not looked into here. In doubt the part is loaded.
 */

/** Digits at the end of a number that make a text suspect, whatever stands between them. */
const tail = 7;

/** Elements that are looked into one by one, and characters of each. If there is more, the whole page is. */
const few = 20;
const short = 5000;

/** How often the whole page is looked at. The part is better at pages that change so much. */
const patience = 10;

/** Milliseconds of looking before the page is given time. */
const portion = 3;

/** No line reaches beyond such an element. */
const blocks = 'p,li,td,div,section,title,body,html';

const data = /^(script|style)$/i;

/** Frames that may have pages of the same origin. */
const frames = 'frame,iframe:not([src^=http]),iframe[srcdoc],iframe[src^="' + location.origin + '"]';

/** Attributes that people read or that call, and the elements that have them. */
const readers = [
  ['alt', '[alt]'],
  ['title', '[title]'],
  ['aria-label', '[aria-label]'],
  ['content', 'meta[name=description i]'],
];
const callers = ['href', '[href*="tel:" i],[href*="callto:" i]'];

/** Digits of any script, and of others than ours. They are made when they are needed: the page may have broken what makes them. */
let digit: RegExp;
let foreign: RegExp;

/** What the core calls when the page does not say what to do with its numbers. */
const agree = (): boolean => true;

let before: Work | undefined;

/** Is told that an element gets an open shadow root. */
let attached: (() => void) | undefined;

/** A digit of another script, as one of ours. */
function plain(char: string): string {
  const code = char.charCodeAt(0);
  return String(code - zeros.filter((zero) => zero <= code).pop()!);
}

/** What looks whether an element may show one of the numbers, in steps of which each is short. */
function suspecting(numbers: Block['numbers']): (element: Element) => (() => boolean)[] {
  const tails = new Set(formsOf(numbers).map((form) => form.slice(-tail)));
  const looks = readers.concat([numbers.some(({ messengers }) => messengers) ? ['href', '[href]'] : callers]);

  const count = (text: string | null): number => {
    const digits = text!.replace(foreign, plain).replace(/\D+/g, '');
    let found = 0;
    tails.forEach((tail) => (found += digits.split(tail).length - 1));
    return found;
  };
  return (element) => [
    () => element.matches(frames) || !!element.querySelector(frames),
    ...looks.map(([name, selector]) => () => {
      let values = '';
      const add = (one: Element): void => {
        values += ' ' + one.getAttribute(name);
      };
      if (element.matches(selector)) {
        add(element);
      }
      element.querySelectorAll(selector).forEach(add);
      return /%3\d/.test(values) || count(values.replace(/%[\da-f]{2}/gi, '')) > 0;
    }),
    () => {
      let found = count(element.textContent);
      if (found) {
        // Data are not shown.
        element.querySelectorAll('script,textarea').forEach(({ textContent }) => (found -= count(textContent)));
      }
      return found > 0;
    },
  ];
}

/** What stands in for the part, if the server has replaced these numbers. Nothing, if the part is needed at once. */
function stand({ numbers, replaced, served }: Block, _: unknown, need: () => void): Work | undefined {
  if (before) {
    before.end();
  }
  const part = Symbol.for('svc:numbers');
  const bare = numbers.every(({ id, lasts }) => !lasts && /^number=/.test(id));
  if (!hearing || numbers !== served || !bare || globals.__cs_onReplacePhones !== agree || globals[part]) {
    return undefined;
  }
  const figures = zeros.map((zero) => String.fromCharCode(zero) + '-' + String.fromCharCode(zero + 9));
  digit = new RegExp('[' + figures.join('') + ']');
  foreign = new RegExp('[' + figures.slice(1).join('') + ']', 'g');
  globals[part] = undefined; // Frames that run the script are told by the name.
  const stepsOf = suspecting(numbers);
  const shown = new Set(numbers.map(({ from }) => from).filter((from) => replaced.some(([id]) => id === 'number=' + from)));
  const touched = new Set<Element>();
  const steps: (() => boolean)[] = [];
  let watching: boolean | undefined;
  let looks = 0;
  let busy = false;
  let over = false;

  const call = (): void => {
    over = true;
    observer.disconnect();
    need();
  };
  const go = (): void => {
    const end = performance.now() + portion;
    while (steps.length && !over) {
      let doubt = true;
      try {
        doubt = steps.shift()!();
      } catch {
        // Whatever the page has done to itself: the part is made for it.
      }
      if (doubt) {
        call();
      } else if (performance.now() > end) {
        idle(go);
        return;
      }
    }
    busy = false;
  };
  const look = (...more: typeof steps): void => {
    steps.push(...more);
    if (!busy) {
      busy = true;
      idle(go);
    }
  };
  const lookAtTouched = (): boolean => {
    const all = Array.from(touched);
    touched.clear();
    if (all.length <= few && all.every(({ textContent }) => textContent!.length < short)) {
      return all.some((element) => stepsOf(element).some((step) => step()));
    }
    look(...stepsOf(document.documentElement));
    return looks++ > patience;
  };
  const take = ({ target, addedNodes, removedNodes, attributeName, type }: MutationRecord): void => {
    const line = target instanceof Element ? target : target.parentElement;
    const block = (line && line.closest(blocks)) || document.documentElement;
    if (line && data.test(line.nodeName)) {
      return;
    }
    if (attributeName) {
      touched.add(line!);
    } else if (type === 'characterData' || (removedNodes.length && block !== document.body)) {
      touched.add(block);
    }
    addedNodes.forEach((node) => {
      if (data.test(node.nodeName)) {
        return;
      }
      if (digit.test(node.textContent!)) {
        touched.add(block);
      } else if (node instanceof Element) {
        touched.add(node);
      }
    });
  };
  const observer = new MutationObserver((records) => {
    const before = touched.size;
    records.forEach(take);
    if (!before && touched.size) {
      look(lookAtTouched);
    }
  });
  const work: Work = {
    watch(on = true) {
      const first = watching === undefined;
      if (watching !== !!on) {
        watching = !!on;
        observer.disconnect();
        if (watching) {
          observer.observe(document, observed);
        }
        if (watching || first) {
          look(() => hostsIn(document).some(({ shadowRoot }) => shadowRoot), ...stepsOf(document.documentElement));
        }
      }
    },
    replaced: (type) => outcome(numbers, shown, type),
    end() {
      over = true;
      observer.disconnect();
    },
  };
  attached = () => {
    if (watching && !over) {
      call();
    }
  };
  return (before = work);
}

/** Whether shadow roots are heard of. */
let hearing = false;

const { prototype } = Element;
const attach = prototype.attachShadow;
try {
  prototype.attachShadow = function (this: Element, ...given) {
    const root = attach.apply(this, given);
    if (attached && root.mode === 'open') {
      attached();
    }
    return root;
  };
  hearing = true;
} catch {
  // The page has frozen it.
}
globals.__cs_onReplacePhones = globals.__cs_onReplacePhones || agree;
config.sentry = (...given: Parameters<typeof stand>): Work | undefined => {
  try {
    return stand(...given);
  } catch {
    // Whatever the page has done to itself: the part is made for it.
    return undefined;
  }
};

import type { Call, Look } from './calls';
import { matcher } from './sha256';

/** A captcha whose key is good only with a proof: the number below `most` that behind `salt` has the sum. */
interface Captcha {
  key: string;
  proof: { salt: string; sum: string; most: number };
}

/** What the proof for a key is, once it is found, and what is done then. */
interface Search {
  proof?: string;
  found: Set<() => void>;
}

/** Milliseconds of work without a pause: whatever happens on the page waits no longer for it. */
const slice = 8;

/** Numbers that are tried between two looks at the clock. */
const batch = 100;

const searches = new Map<unknown, Search>();

/**
 * Finds the proof, and returns what looks at each call from now on. It works in slices on the page itself, since sites' policies forbid
 * workers.
 */
export function find({ key, proof: { salt, sum, most } }: Captcha, pump: () => void): Look {
  const search: Search = { found: new Set() };
  const matches = matcher(salt, sum);
  let n = 0;
  const work = (): void => {
    const end = performance.now() + slice;
    do {
      for (let i = 0; i < batch; i++, n++) {
        if (n >= most || matches(n)) {
          search.proof = String(n);
          search.found.forEach((release) => release());
          pump();
          return;
        }
      }
    } while (performance.now() < end);
    setTimeout(work);
  };
  searches.set(key, search);
  setTimeout(work);
  return look;
}

/**
 * A call with the key of a captcha waits for the proof. It is held by a view without credentials, so that it goes as it is where the page
 * is being left.
 */
function look(made: Call): void {
  const { view } = made;
  const search = searches.get(Object(made.body.request).captcha_key);
  if (!search || !view) {
    return;
  }
  const release = (): void => {
    made.body.proof = search.proof;
    made.view = view;
  };
  if (search.proof) {
    release();
  } else {
    made.view = { hit: view.hit, began: view.began, keys: view.keys };
    search.found.add(release);
  }
}

import { hostsIn } from './hosts';
import { isHydrating, rest } from './hydration';
import { untouched } from './page';

/** What has a tree of its own: the document, open shadow roots in it, and pages of the same origin in its frames. */
export type Root = Document | ShadowRoot;

const all = new Set<Root>([document]);

/** Frames that are listened to, and windows whose elements tell of their shadow roots. */
const known = new WeakSet<object>();

let tell: (root: Root) => void;

/** Who is told of roots: when they are found, and when a frame has loaded a page. */
export function listen(told: typeof tell): void {
  tell = told;
}

/** As many are kept before those are let go of that the page has dropped. */
let room = 100;

/** Those that have been found and are still in the page. */
export function roots(): Root[] {
  all.forEach((root) => (root.isConnected && (isDocument(root) ? root : root.ownerDocument).defaultView) || all.delete(root));
  room = 100 + 2 * all.size;
  return Array.from(all);
}

/** Finds the shadow roots that elements in the tree have already. */
export function findRoots(tree: Root): void {
  (isDocument(tree) ? hostsIn(tree) : Array.from(tree.querySelectorAll('*'))).forEach(findRoot);
}

export function isDocument(root: Root): root is Document {
  return root.nodeType === Node.DOCUMENT_NODE;
}

function findRoot(element: Element): void {
  const root = element.shadowRoot;
  if (root && !all.has(root) && !element.closest(untouched)) {
    meet(root);
  }
}

function meet(root: Root): void {
  all.add(root);
  tell(root);
  if (all.size > room) {
    roots();
  }
}

/** Elements that were given a root before they came into the page. */
const outside = new Set<Element>();

/** Finds what has come into the page: elements with roots that were heard of, and frames. */
export function findAdded(): void {
  outside.forEach((element) => {
    if (element.isConnected) {
      outside.delete(element);
      findRoot(element);
    }
  });
  for (const root of roots()) {
    root.querySelectorAll('iframe,frame').forEach(findFrame);
  }
}

/** Has the elements of the window tell when they are given open shadow roots: pages do so at any time, and nothing else shows it. */
export function hearAttaching(view: typeof globalThis & Window): void {
  const { prototype } = view.Element;
  const attach = prototype.attachShadow;
  if (known.has(prototype)) {
    return;
  }
  known.add(prototype);
  const hear = (element: Element): void => {
    if (element.isConnected) {
      findRoot(element);
    } else if (outside.size < most) {
      outside.add(element);
    }
  };
  try {
    prototype.attachShadow = function (this: Element, ...given) {
      const root = attach.apply(this, given);
      hear(this);
      return root;
    };
  } catch {
    // The page has frozen it.
  }
}

/** Elements outside of the page that are waited for. */
const most = 1000;

function findFrame(frame: Element): void {
  if (known.has(frame) || frame.closest('[data-svc-noswap]')) {
    return;
  }
  known.add(frame);
  const look = (): void => {
    const page = (frame as HTMLIFrameElement).contentDocument; // none of another origin
    // What is still loading may be about to become an editor.
    if (page && page.readyState === 'complete' && page.documentElement && !(Symbol.for('svc:numbers') in page.defaultView!)) {
      meet(page);
    }
  };
  const load = (): void => {
    const page = (frame as HTMLIFrameElement).contentDocument;
    if (page && isHydrating(page)) {
      rest(look, page.defaultView!);
    } else {
      look();
    }
  };
  frame.addEventListener('load', load);
  load();
}

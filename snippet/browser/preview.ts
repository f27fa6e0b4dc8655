import { tailsOf } from './numbers/character';

/** What the page carries when it is shown as somebody else would see it. */
interface Preview {
  until: number;
  address: string;
  referrer: string;
  language: string;
  /** What is said here, by the names of locales/preview. */
  texts: Record<string, string>;
  end: string;
  /** The printed numbers as people read them, by their digits. */
  printed: Record<string, string>;
  numbers: { from: string; raw: string; text: string | null; img: string | null; dt: boolean }[];
}

/** Milliseconds between two looks at a page that changes. */
const pause = 300;

/** Texts that are looked at: more are of no page that people read. */
const maxTexts = 20_000;

/** Digits by which a number is found, and signs in front of them that belong to it. */
const tail = 7;
const lead = /[+\d\s()\u00a0.\-\u2010-\u2015]{1,12}$/;

const style = `
:host{all:initial;position:fixed;inset:auto 0 0 0;z-index:2147483647}
section{box-sizing:border-box;display:flex;flex-wrap:wrap;gap:4px 20px;align-items:center;max-height:40vh;overflow:auto;padding:10px 16px;
font:14px/1.4 system-ui,sans-serif;background:#1c1917;color:#fafaf9;border-top:3px solid #facc15}
strong{font-weight:600}
p,ul{margin:0;padding:0;list-style:none;overflow-wrap:anywhere}
ul{display:flex;flex-wrap:wrap;gap:2px 16px}
small{font-size:13px;color:#d6d3d1}
b{font-weight:600;color:#fde047;white-space:nowrap}
a{margin-left:auto;padding:6px 12px;border-radius:6px;background:#fafaf9;color:#1c1917;text-decoration:none;font-weight:600}
a:focus-visible{outline:2px solid #facc15;outline-offset:2px}`;

const block = document.querySelector('script[data-svc-preview]');
const preview: Preview = JSON.parse(block!.textContent!);
const { texts } = preview;
const name = 'svc-preview';
const shown = new Set(preview.numbers.map(({ raw }) => raw));
const tails = tailsOf(shown, tail);

/** The texts of the page that show one of the numbers, as far as a range can tell. */
function rangesOf(root: Node): Range[] {
  const nodes: Text[] = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement!.closest('script,style,noscript,template') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  while (nodes.length < maxTexts && walk.nextNode()) {
    nodes.push(walk.currentNode as Text);
  }
  const text = nodes.map(({ data }) => data).join('');
  const ranges: Range[] = [];
  let node = 0;
  let before = 0;
  const place = (at: number, last: boolean): [Text, number] => {
    while (before + nodes[node].length < at || (!last && before + nodes[node].length === at)) {
      before += nodes[node++].length;
    }
    return [nodes[node], at - before];
  };
  for (const found of text.matchAll(tails)) {
    const front = lead.exec(text.slice(Math.max(0, found.index! - 12), found.index))?.[0].trimStart() || '';
    const range = document.createRange();
    range.setStart(...place(found.index! - front.length, false));
    range.setEnd(...place(found.index! + found[0].trimEnd().length, true));
    ranges.push(range);
  }
  return ranges;
}

/** Marks the numbers without a change to the page's nodes. How many places there are. */
function mark(): number {
  const ranges = shown.size ? rangesOf(document.body) : [];
  if (window.Highlight) {
    CSS.highlights.set(name, new Highlight(...ranges));
  }
  return ranges.length + document.querySelectorAll(pictures || 'no-element').length;
}

const pictures = preview.numbers
  .filter(({ img }) => img)
  .map(({ img }) => `img[src=${JSON.stringify(img)}]`)
  .join();

function dress(): void {
  const sheet = new CSSStyleSheet();
  const links = [...shown].map((raw) => `a[href^="tel:" i][href*="${raw}"]`);
  const outlined = [...links, ...(pictures ? [pictures] : [])].join();
  sheet.replaceSync(
    `::highlight(${name}){background:#fde047;color:#1c1917}` + (outlined ? `${outlined}{outline:2px dashed #ca8a04;outline-offset:2px}` : ''),
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** An element of the bar, with texts and elements in it. */
function make(tag: string, ...inside: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  element.append(...inside);
  return element;
}

function begin(): void {
  dress();
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'closed' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const count = make('small');
  const pairs = new Map(preview.numbers.filter(({ text }) => text).map((number) => [number.from, number]));
  const list = make(
    'ul',
    ...[...pairs.values()].map(({ from, text, dt }) =>
      make('li', preview.printed[from] + ' → ', make('b', text!), ...(dt ? [' ', make('small', texts['preview.leased'])] : [])),
    ),
  );
  const end = make('a', texts['preview.end']) as HTMLAnchorElement;
  end.href = preview.end;
  const until = new Date(preview.until).toLocaleTimeString(preview.language, { hour: '2-digit', minute: '2-digit' });
  const from = preview.referrer ? texts['preview.from'].replace('{site}', () => preview.referrer) : texts['preview.directly'];
  const bar = make(
    'section',
    make('p', make('strong', texts['preview.title']), ' ', make('small', `${preview.address} · ${from}`)),
    pairs.size ? list : make('p', texts['preview.none']),
    make('p', count, ' ', make('small', texts['preview.until'].replace('{time}', until))),
    end,
  );
  bar.setAttribute('aria-label', texts['preview.title']);
  root.append(bar);
  document.documentElement.append(host);

  let waiting = false;
  const look = (): void => {
    waiting = false;
    count.textContent = texts['preview.marked'].replace('{count}', String(mark()));
  };
  new MutationObserver(() => {
    if (!waiting) {
      waiting = true;
      setTimeout(look, pause);
    }
  }).observe(document.documentElement, { childList: true, subtree: true, characterData: true, attributeFilter: ['src'] });
  look();
}

if (document.readyState === 'loading') {
  document.addEventListener('DOMContentLoaded', begin);
} else {
  begin();
}

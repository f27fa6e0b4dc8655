import { pump } from './calls';
import type { Method } from './methods';
import { follow } from './numbers';
import { configure, settle } from './settings';
import { text } from './text';

let commands: Record<string, Method> = {};
let ended = false;

/** What is pushed is for the next run of the script from now on. */
export function end(): void {
  ended = true;
}

/** Settings count from anywhere in the queue; then the methods are called in their order. Unknown commands are for others. */
export function push(...items: unknown[]): void {
  const called = items.map(read).filter(([name, value]) => !configure(name, value));
  settle();
  follow();
  pump();
  for (const [name, ...args] of called) {
    if (commands.hasOwnProperty(name)) {
      commands[name](...args);
    }
  }
}

/** A command is an array of a name and its arguments, or something like one. */
function read(item: unknown): [string, ...unknown[]] {
  const [name, ...args] = item && typeof item === 'object' ? Array.from(item as ArrayLike<unknown>) : [];
  return [text(name), ...args];
}

/** Takes over all that has been queued, and the arrays themselves, so that later pushes arrive here. */
export function drain(methods: Record<string, Method>, lists: unknown[]): void {
  commands = methods;
  push(...prepared().concat(...lists.map(takeOver)));
}

/** A policy that forbids inline scripts allows a block of data, in which the settings come then. */
function prepared(): unknown[] {
  const items: unknown[] = [];
  document.querySelectorAll('script[type="application/json"][data-svc]').forEach((block) => {
    try {
      items.push(...JSON.parse(block.textContent!).queue);
    } catch {
      // Not ours, though it looks so.
    }
  });
  return items;
}

function takeOver(list: unknown): unknown[] {
  if (!Array.isArray(list)) {
    return [];
  }
  const items = list.splice(0);
  Object.defineProperty(list, 'push', {
    configurable: true,
    writable: true,
    value(...later: unknown[]): number {
      if (ended) {
        return Array.prototype.push.apply(list, later);
      }
      push(...later);
      return list.length;
    },
  });
  return items;
}

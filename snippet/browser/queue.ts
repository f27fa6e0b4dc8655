import { pump } from './calls';
import { follow } from './numbers';
import { ended } from './page';
import { configure, settle } from './settings';
import { blockOf, each, text } from './text';
import type { Method } from './view';

let commands: Record<string, Method> = Object.create(null);

/** Settings count from anywhere in the queue; then the methods are called in their order. Unknown commands are for others. */
export function push(items: unknown[]): void {
  const called = new Set<() => void>();
  each(items, (item) => {
    const { name, args } = read(item);
    if (!configure(name, args[0]) && commands[name]) {
      called.add(() => Reflect.apply(commands[name], undefined, args));
    }
  });
  settle();
  follow();
  pump();
  called.forEach((run) => run());
}

/** Arguments that are passed on; no method has as many. */
const most = 8;

/** A command is an array of a name and its arguments, or something like one. */
function read(item: any): { name: string; args: unknown[] } {
  const args: unknown[] = [];
  const given = item && typeof item === 'object' ? item : args;
  for (let i = 1; i < given.length && i <= most; i++) {
    args[i - 1] = given[i];
  }
  return { name: text(given[0]), args };
}

/** Takes over all that has been queued, and the arrays themselves, so that later pushes arrive here. */
export function drain(methods: Record<string, Method>, lists: unknown[]): void {
  commands = methods;
  const items: unknown[] = [];
  const take = (item: unknown): void => {
    items[items.length] = item;
  };
  // A policy that forbids inline scripts allows a block of data, in which the settings come then.
  each(blockOf('').queue || [], take);
  each(lists, (list) => takeOver(list, take));
  push(items);
}

function takeOver(list: unknown, take: (item: unknown) => void): void {
  if (!Array.isArray(list)) {
    return;
  }
  each(list, take);
  list.length = 0;
  Object.defineProperty(list, 'push', {
    configurable: true,
    writable: true,
    value(...later: unknown[]): number {
      if (ended) {
        return Array.prototype.push.apply(list, later);
      }
      push(later);
      return list.length;
    },
  });
}

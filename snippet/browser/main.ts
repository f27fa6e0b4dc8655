import { pump } from './calls';
import { config, globals } from './config';
import { guarded, methods } from './methods';
import * as numbers from './numbers';
import * as panels from './panels';
import { occupy, previous, retire, type Run } from './page';
import * as presence from './presence';
import { giveUp, learn } from './properties';
import * as queue from './queue';
import { key } from './settings';
import * as status from './status';
import { each } from './text';
import type { Method } from './view';
import * as views from './views';

const name = config.objects[0];

if (previous && globals[name] === previous.svc) {
  // The page has loaded the script twice and cleared nothing: what runs goes on.
  previous.drain();
} else {
  start();
}

function start(): void {
  if (previous) {
    previous.end();
  }
  views.listen(
    () => {
      pump();
      giveUp();
    },
    (data, kind) => {
      status.know(data.online);
      learn(data.properties, kind === 'restore');
      numbers.take(data.numbers, views.current!.began, /^(history|reinit)$/.test(kind));
      panels.launch();
    },
  );
  const push = guarded((...items: unknown[]) => queue.push(items));
  const commands: Record<string, Method> = Object.create(null);
  // Sites test for an object and for a function: a function is both. Called itself, it takes one command.
  const svc = (...command: unknown[]): unknown => push(command);
  each(Object.keys(methods), (method) => (commands[method] = guarded(methods[method])));
  Object.assign(svc, commands, { Captcha: { get_captcha: guarded(panels.getCaptcha) }, push });

  const drain = guarded(() => {
    globals.__cs = globals.__cs || [];
    queue.drain(commands, [globals.__cs, globals[name] === svc ? 0 : globals[name]]);
  });
  const run: Run = {
    svc,
    get key() {
      return key;
    },
    get view() {
      return views.current;
    },
    handle,
    drain,
    end() {
      pump(true);
      presence.end();
      retire();
      numbers.end();
      panels.end();
      status.end();
    },
  };
  occupy(run);
  drain();
  globals[name] = svc;
  globals[config.objects[1]] = { ...commands };
  presence.start();
  numbers.begin(() => presence.tell('here'));
}

function handle(type: string, event?: Event): void {
  numbers.issue();
  if (type === 'pagehide' || (type === 'visibilitychange' && document.hidden)) {
    pump(true);
    presence.tell(type === 'pagehide' ? 'left' : 'away');
  } else if (type === 'pageshow') {
    if ((event as PageTransitionEvent).persisted) {
      views.restored();
    }
  } else if (type === 'online' || type === 'visibilitychange' || type === 'prerenderingchange') {
    pump(type === 'online');
    status.refresh();
    presence.tell('here');
  } else {
    views.navigated();
  }
}

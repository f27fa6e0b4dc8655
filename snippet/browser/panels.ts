import { call, deadline, give } from './calls';
import { config } from './config';
import type { Core, Panels } from './panels/shell';
import { load } from './part';
import { base, key, settings } from './settings';
import { getOperatorStatus } from './status';
import { copied, encode, randomId, text } from './text';
import { ask, failure, request } from './transport';
import type { Answer } from './view';
import { current } from './views';

let panels: Panels | undefined;
let loading = false;
let ended = false;

/** What is to be shown once the part is there. */
const wanted = new Set<() => void>();

const core: Core = {
  base,
  get key() {
    return key;
  },
  get mask() {
    return settings.setUIPhoneMaskFormat;
  },
  get view() {
    return current;
  },
  call,
  encode,
  load,
  online: getOperatorStatus,
  randomId,
  request,
};

/** Shows something with the panels, which are loaded at the first time. Where they cannot be, nothing is shown, and the next time counts. */
export function show<Name extends keyof Panels>(name: Name, ...args: Parameters<Panels[Name]>): void {
  wanted.add(() => Reflect.apply(panels![name], panels, args));
  if (!loading && key) {
    loading = !panels;
    if (panels) {
      go();
    } else {
      load(config.panels, go);
    }
  }
}

function go(): void {
  const start = (window as any)[Symbol.for('svc:panels')];
  loading = false;
  if (start && !ended) {
    panels = panels || start(core);
    wanted.forEach((run) => run());
  }
  wanted.clear();
}

/** What the site shows by itself. */
export function launch(): void {
  if (config.launcher && !settings.disableWidgets) {
    show('launch');
  }
}

export function end(): void {
  ended = true;
  if (panels) {
    panels.end();
  }
}

/** Without a callback the visitor is told himself what has become of his call. */
export function sitePhoneCall(params: unknown, callback?: unknown): void {
  const request = copied(params);
  call('callback', request && { request }, (answer) => {
    const result = callResult(answer);
    if (typeof callback === 'function') {
      give(callback, result);
    } else {
      show('notice', result.result.status);
    }
  });
}

/** A service that does not say what has happened counts as a platform that has failed (specification, 7). */
export function callResult({ success, data }: Answer): { success: boolean; result: { status: number; code: string } } {
  const { status, code } = Object(data.result);
  return { success, result: { status: success ? 0 : Number(status) || 3, code: text(code) || text(data.code) } };
}

export function getCaptcha(callback: unknown): void {
  let open = true;
  const done = ({ data }: Answer): void => {
    if (open) {
      open = false;
      give(callback, { key: text(data.key), url: text(data.url) });
    }
  };
  setTimeout(done, deadline, failure('timeout'));
  ask('captcha').then(done);
}

import { call, give, order } from './calls';
import { config } from './config';
import type { Panels, Part } from './panels/shell';
import { load } from './part';
import { base, key, settings } from './settings';
import { getOperatorStatus } from './status';
import { text } from './text';
import { codeOf, request } from './transport';
import { current } from './views';

let part: Partial<Part> = {};
let failures = 0;

/** Shows something with the panels. Where they cannot be loaded nothing is shown, and the next time counts. */
export async function show(name: keyof Panels, detail?: unknown): Promise<void> {
  // Browsers remember that a module could not be had.
  part = await load(config.panels + '?' + failures);
  if (part.show) {
    part.show(name, detail, base, key, settings, call, request, getOperatorStatus, () => current);
  } else {
    failures++;
  }
}

/** What the site shows by itself. */
export function launch(): void {
  if (config.launcher && !settings.disableWidgets) {
    show('launch');
  }
}

export function end(): void {
  if (part.end) {
    part.end();
  }
}

/**
 * Without a callback the visitor is told himself what has become of his call. A service that does not say it counts as a platform
 * that has failed (specification, 7).
 */
export function sitePhoneCall(params: unknown, callback?: unknown): void {
  order('callback', params, ({ success, data }) => {
    const status = success ? 0 : Object(data.result).status || 3;
    if (callback) {
      give(callback, { success, result: { status, code: codeOf(data) } });
    } else {
      show('notice', status);
    }
  });
}

export function getCaptcha(callback: unknown): void {
  call('captcha', {}, ({ data }) => give(callback, { key: text(data.key), url: text(data.url) }));
}

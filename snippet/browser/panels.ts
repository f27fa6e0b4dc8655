import { call, give } from './calls';
import { config } from './config';
import type { Panels } from './panels/shell';
import { load } from './part';
import { base, key, settings } from './settings';
import { getOperatorStatus } from './status';
import { copied, text } from './text';
import { ask, codeOf, request } from './transport';
import { current } from './views';

let panels: Promise<Panels | undefined> | undefined;
let tries = 0;

/** Shows something with the panels, which are loaded at the first time. Where they cannot be, nothing is shown, and the next time counts. */
export async function show<Name extends keyof Panels>(name: Name, status?: number): Promise<void> {
  panels = panels || start();
  const shown = await panels;
  if (shown) {
    shown[name](status!);
  } else {
    panels = undefined;
  }
}

async function start(): Promise<Panels | undefined> {
  // Browsers remember that a module could not be had.
  const part = key && (await load(config.panels + '?' + tries++, 'panels'));
  return part && part({ base, call, key, online: getOperatorStatus, request, settings, view: () => current });
}

/** What the site shows by itself. */
export function launch(): void {
  if (config.launcher && !settings.disableWidgets) {
    show('launch');
  }
}

export function end(): void {
  if (panels) {
    show('end');
  }
}

/**
 * Without a callback the visitor is told himself what has become of his call. A service that does not say it counts as a platform
 * that has failed (specification, 7).
 */
export function sitePhoneCall(params: unknown, callback?: unknown): void {
  const request = copied(params);
  call('callback', request && { request }, ({ success, data }) => {
    const status = success ? 0 : Object(data.result).status || 3;
    if (callback) {
      give(callback, { success, result: { status, code: codeOf(data) } });
    } else {
      show('notice', status);
    }
  });
}

export async function getCaptcha(callback: unknown): Promise<void> {
  const { data } = await ask('captcha');
  give(callback, { key: text(data.key), url: text(data.url) });
}

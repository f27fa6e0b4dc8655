import { give } from './calls';
import { soon } from './text';
import type { Method } from './view';

/** Panels and callbacks come with a part of the script that is not there: who calls its methods is told so, and never gets an exception. */
const nothing = (): void => {};

function sitePhoneCall(_params: unknown, callback: unknown): void {
  soon(() => give(callback, { success: false, result: { status: noScenario, code: 'unavailable' } }));
}

/** The status of a callback that nobody would carry out (specification, 7). */
const noScenario = 2;

export function getCaptcha(callback: unknown): void {
  soon(() => give(callback, { key: '', url: '' }));
}

export const later: Record<string, Method> = {
  openChatWindow: nothing,
  openSitePhonePanel: nothing,
  openSiteRequestPanel: nothing,
  sitePhoneCall,
};

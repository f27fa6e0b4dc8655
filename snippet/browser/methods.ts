import { call, give, order } from './calls';
import { config } from './config';
import { getCredentials, getSessionId, getVisitorId } from './credentials';
import { getDTPhones, getPhones, getReplacedPhones } from './numbers';
import { show, sitePhoneCall } from './panels';
import { deleteProperty, getProperty, hasProperty, setProperty } from './properties';
import { getOperatorStatus } from './status';
import { each, encode, text } from './text';
import { codeOf } from './transport';
import type { Answer, Method } from './view';
import { reinitTrackView } from './views';

function trackEvent(category: unknown, action: unknown, name?: unknown, value?: unknown): void {
  const event = {
    category: text(category),
    action: text(action),
    name: text(name),
    value: text(value),
  };
  if (event.category && event.action) {
    call('event', event);
  }
}

function addOfflineRequest(req: unknown, callback?: unknown): void {
  order('lead', req, (answer) => give(callback, requestResult(answer)));
}

/**
 * One object for the three ways in which sites read it: the documented fields, the answer as a text of
 * JSON, and the status as of a request of their own, which is 200 for success and for nothing else.
 */
function requestResult({ success, status, statusText, data }: Answer): object {
  const result = success ? null : { code: codeOf(data) || 'failed' };
  return {
    success,
    result,
    response: encode({ ...data, success, result }),
    status: success ? 200 : status === 200 ? 0 : status,
    statusText: success ? 'OK' : status === 200 ? '' : statusText,
  };
}

function addVisitorInfo(req: unknown, callback?: unknown): void {
  const given = Object(req);
  const body: Record<string, string> = {};
  let filled = false;
  each(['name', 'email', 'phone'], (field) => {
    const value = text(given[field]);
    if (value.trim()) {
      filled = true;
      body[field] = value;
    }
  });
  call('visitor', filled && body, ({ success }) => give(callback, { success }));
}

/** The methods of the global objects. */
export const methods: Record<string, Method> = {
  addOfflineRequest,
  addVisitorInfo,
  deleteProperty,
  getCredentials,
  getDTPhones,
  getOperatorStatus,
  getPhones,
  getProperty,
  getSessionId,
  getVisitorId,
  hasProperty,
  openChatWindow: (wish) => void show('chat', wish),
  openSitePhonePanel: (wish) => void show('phone', wish),
  openSiteRequestPanel: (wish) => void show('request', wish),
  setProperty,
  sitePhoneCall,
  trackEvent,
};

if (config.variant === 'A') {
  Object.assign(methods, { getReplacedPhones, reinitTrackView });
}

/** A method as a page may have it: detached, with anything for arguments, and without an exception. */
export function guarded(method: Method): Method {
  return (...args) => {
    try {
      return Reflect.apply(method, undefined, args);
    } catch {
      return undefined;
    }
  };
}

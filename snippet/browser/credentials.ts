import { config } from './config';
import { base, key } from './settings';
import { each } from './text';
import type { Credentials } from './view';

const names = ['site_key', 'key', 'uri', 'visitor_id', 'hit_id', 'session_id'] as const;

let shown: Partial<Credentials> = {};
let server = base;

/** The credentials among the fields of an answer. */
export function pick(answer: Record<string, any>): Credentials {
  const credentials: Record<string, unknown> = {};
  each(names, (name) => (credentials[name] = answer[name]));
  return credentials as unknown as Credentials;
}

/** Shows the page the ids of a view that the service has answered. */
export function show(credentials: Credentials, url?: unknown): void {
  shown = credentials;
  server = typeof url === 'string' && url ? url : base;
}

/**
 * Sites loop over the object and pack it into forms and cookies: it holds the documented fields only, and is theirs to change. What
 * is not known yet is absent: sites wait with `isNaN(credentials.hit_id)`, which is false for null.
 */
export function getCredentials(): object {
  const given: Record<string, unknown> = { site_key: shown.site_key || key };
  each(names, (name) => {
    if (shown[name] && (config.variant === 'A' || (name !== 'key' && name !== 'uri'))) {
      given[name] = shown[name];
    }
  });
  given.consultant_server_url = server;
  return given;
}

export function getVisitorId(): number | null {
  return shown.visitor_id || null;
}

export function getSessionId(): number | null {
  return shown.session_id || null;
}

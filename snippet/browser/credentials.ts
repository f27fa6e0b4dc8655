import { config } from './config';
import { base, key } from './settings';

/** What proves to the service whose page view a call belongs to. It is sent back as it came. */
export interface Credentials {
  site_key: string;
  key: string;
  uri: string;
  visitor_id: number;
  hit_id: number;
  session_id: number;
}

let shown: Partial<Credentials> = {};
let server = base;

/** Shows the page the ids of a view that the service has answered. */
export function show(credentials: Credentials, url: unknown): void {
  shown = credentials;
  server = typeof url === 'string' && url ? url : base;
}

/** Sites loop over the object and pack it into forms and cookies: it holds the documented fields only, and is theirs to change. */
export function getCredentials(): object {
  const { visitor_id = null, hit_id = null, session_id = null } = shown;
  return {
    site_key: shown.site_key || key,
    ...(config.variant === 'A' && { key: shown.key || null, uri: shown.uri || null }),
    visitor_id,
    hit_id,
    session_id,
    consultant_server_url: server,
  };
}

export function getVisitorId(): number | null {
  return shown.visitor_id || null;
}

export function getSessionId(): number | null {
  return shown.session_id || null;
}

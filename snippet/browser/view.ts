/** A method of the global objects. */
export type Method = (...args: any[]) => unknown;

/** What became of a request. `status` is 0 when no answer was had. */
export interface Answer {
  success: boolean;
  status: number;
  statusText: string;
  /** Seconds after which the service wants to be asked again; 0 or no number where it has not said. */
  again?: number;
  data: Record<string, any>;
}

/** What proves to the service whose page view a call belongs to. It is sent back as it came. */
export interface Credentials {
  site_key: string;
  key: string;
  uri: string;
  visitor_id: number;
  hit_id: number;
  session_id: number;
}

/** A page view as it is reported. The same `view` reported twice is one hit. */
export interface Hit {
  site_key: string;
  view: string;
  /** The id that the page was sent with. The first report that names it is of the view that the server has stored. */
  served?: string;
  url: string;
  referrer: string;
  title: string;
  kind: 'load' | 'history' | 'restore' | 'reinit';
  /** The token that the view before was answered with, or that of the link which has led here from another host of the site. */
  browser?: string;
}

export interface View {
  hit: Hit;
  /** When it began, in milliseconds of the clock. */
  began: number;
  /** A call of `reinitTrackView`, or a new load of the script, has meant this very view. */
  claimed?: boolean;
  reported?: boolean;
  /** An attempt to report it was in vain, and the next one is at this time, in milliseconds of the clock: calls need not wait for it. */
  missed?: number;
  /** The service does not want it, nor the calls that belong to it. */
  refused?: Answer;
  credentials?: Credentials;
  /**
   * What its calls are known by: the credentials and, of a browser without cookies, the token. Whoever has the token is the visitor, so
   * the page is not shown it. Until the answer brings it, the hit goes along, even where the page has come with credentials.
   */
  keys: { credentials?: Credentials; browser?: string; hit?: Hit };
}

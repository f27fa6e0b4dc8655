/** What the server appends to the bundle for one site: the argument of its outer function. */
export interface Configuration {
  /** Names of the two global objects. */
  objects: [string, string];
  /** The two variants differ in the fields of the credentials and in `reinitTrackView`. */
  variant: 'A' | 'B';
  /** Nothing is set or sent until this cookie has a value that `value`, a regular expression, matches. */
  consent?: { cookie: string; value: string };
}

declare const __config: Configuration;

export const config: Configuration = __config;

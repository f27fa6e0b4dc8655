/** What the server appends to the bundle for one site: the argument of its outer function. */
export interface Configuration {
  /** Names of the two global objects. */
  objects: [string, string];
  /** The two variants differ in the fields of the credentials and in `reinitTrackView` and `getReplacedPhones`. */
  variant: 'A' | 'B';
  /** The part that replaces numbers: its name among the assets. */
  numbers: string;
  /** The part with the panels: its name among the assets. */
  panels: string;
  /** The part that finds proofs for captchas: its name among the assets. */
  proof: string;
  /** Whether the site shows a launcher by itself. */
  launcher?: boolean;
  /** The hosts of a site with several registrable domains: those of a domain with commas between them, and blanks between domains. */
  domains?: string;
  /** What sentry.ts has for sites with tracking numbers: it stands in for the part that replaces numbers, while the page does not need it. */
  sentry?: unknown;
  /** The token of the link that has led here from another host of the site. */
  crossing?: string;
  /** Nothing is set or sent until this cookie has a value that `value`, a regular expression, matches. */
  consent?: { cookie: string; value: string };
}

declare const __config: Configuration;

export const config: Configuration = __config;

/** What is on the page for all to see. */
export const globals = window as unknown as Record<PropertyKey, any>;

/** Contrast that texts have at least (WCAG 2.2, 1.4.3). */
const readable = 4.5;

type Color = number[];

/** The surfaces that texts stand on; style.ts paints them. */
export const surfaces = { light: '#ffffff', dark: '#1d2025' };

/** The fallback of a colour that cannot be read. */
const usual = '#1f6feb';

function parse(hex: string): Color {
  const color: Color = [];
  for (let i = 0; i < 3; i++) {
    color[i] = parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  }
  return color;
}

function write(color: Color): string {
  let hex = '#';
  for (let i = 0; i < 3; i++) {
    hex += ('0' + Math.round(color[i]).toString(16)).slice(-2);
  }
  return hex;
}

/** Relative luminance (WCAG 2.2). */
function luminance(color: Color): number {
  const linear = (part: number): number => (part <= 10.31475 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2]);
}

export function contrast(one: string, other: string): number {
  const a = luminance(parse(one)) + 0.05;
  const b = luminance(parse(other)) + 0.05;
  return a > b ? a / b : b / a;
}

/** The colour, brought nearer to black or white until it can be read on the surface. */
function readableOn(surface: string, hex: string): string {
  const towards = luminance(parse(surface)) > 0.18 ? 0 : 255;
  const color = parse(hex);
  let shade = hex;
  for (let step = 1; step <= 20 && contrast(shade, surface) < readable; step++) {
    const mixed: Color = [];
    for (let i = 0; i < 3; i++) {
      mixed[i] = color[i] + ((towards - color[i]) * step) / 20;
    }
    shade = write(mixed);
  }
  return shade;
}

/** The variables of the accent: as a ground with a text on it, and as a text of its own on the light and on the dark surface. */
export function accentRules(given: string): string {
  const accent = /^#[0-9a-f]{6}$/i.test(given) ? given : usual;
  const on = contrast(accent, '#ffffff') >= readable ? '#ffffff' : '#000000';
  const rules = (surface: string): string => `:host{--accent:${accent}!important;--on-accent:${on}!important;--ink:${readableOn(surface, accent)}!important}`;
  return rules(surfaces.light) + `@media(prefers-color-scheme:dark){${rules(surfaces.dark)}}`;
}

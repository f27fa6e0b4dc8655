// Draws the charts of a page of figures, each from the table beneath it.

/** What this needs of uPlot, which stands before this script. */
interface Plot {
  setSize(size: { width: number; height: number }): void;
  destroy(): void;
}
declare const uPlot: {
  new (options: object, data: (number | null)[][], target: HTMLElement): Plot;
  tzDate(date: Date, zone: string): Date;
};

const language = document.documentElement.lang;
const height = 220;
const drawings = new Map<HTMLElement, Plot>();

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The writings of the times beneath a chart, by the length of its parts. */
function writings(zone: string, step: string): (seconds: number) => string {
  const written = (how: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(language, { ...how, timeZone: zone, hourCycle: 'h23' });
    return (seconds: number) => format.format(seconds * 1000);
  };
  if (step === 'month') {
    return written({ month: 'short', year: 'numeric' });
  }
  const day = written({ day: 'numeric', month: 'short' });
  if (step !== 'hour') {
    return day;
  }
  const clock = written({ hour: '2-digit', minute: '2-digit' });
  return (seconds) => (clock(seconds) === '00:00' ? day(seconds) : clock(seconds));
}

function draw(figure: HTMLElement): void {
  const into = figure.querySelector<HTMLElement>('[data-drawn]')!;
  const rows = [...figure.querySelectorAll<HTMLTableRowElement>('tbody tr')];
  const names = [...figure.querySelectorAll('[data-name]')].map((head) => head.textContent ?? '');
  if (rows.length < 2) {
    return;
  }
  const numbers = (of: (row: HTMLTableRowElement, at: number) => string | null | undefined) =>
    rows.map((row, at) => {
      const text = of(row, at);
      return text === null || text === undefined ? null : Number(text);
    });
  const over = (row?: HTMLTableRowElement) => row !== undefined && !row.dataset.state;
  const data = [
    numbers((row) => row.dataset.at),
    numbers((row) => (over(row) ? row.dataset.count : null)),
    // What is still running, from the last part that is over.
    numbers((row, at) => (row.dataset.state === 'running' || (over(row) && rows[at + 1]?.dataset.state === 'running') ? row.dataset.count : null)),
  ];
  const cell = (column: number) => (_: unknown, value: number | null, __: number, at: number | null) =>
    value === null || at === null ? '–' : (rows[at]!.cells[column]?.textContent ?? '–');
  const accent = colour('--accent');
  const series: object[] = [
    { value: (_: unknown, __: unknown, ___: unknown, at: number | null) => (at === null ? '–' : (rows[at]!.cells[0]!.textContent ?? '')), label: figure.querySelector('thead th')?.textContent },
    { label: names[0], stroke: accent, width: 2, fill: `${accent}1a`, points: { show: rows.length < 3 }, value: cell(1) },
    { label: figure.querySelector('tbody small')?.textContent ?? '', stroke: accent, width: 2, dash: [4, 4], value: cell(1), points: { show: false } },
  ];
  if (names[1]) {
    data.push(numbers((row) => row.dataset.was));
    series.push({ label: names[1], stroke: colour('--line-strong'), width: 1.5, points: { show: false }, value: cell(2) });
  }
  const font = '12px system-ui, sans-serif';
  const faint = colour('--faint');
  const grid = { stroke: colour('--line'), width: 1 };
  const zone = figure.dataset.zone!;
  const time = writings(zone, figure.dataset.step!);
  const amount = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 2 });
  drawings.get(figure)?.destroy();
  into.replaceChildren();
  drawings.set(
    figure,
    new uPlot(
      {
        width: into.clientWidth,
        height,
        tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), zone),
        series,
        scales: { y: { range: (_: unknown, __: number, most: number) => [0, Math.max(most * 1.1, Number.MIN_VALUE) || 1] } },
        axes: [
          { stroke: faint, font, grid: { show: false }, ticks: grid, values: (_: unknown, splits: number[]) => splits.map(time), space: 72 },
          { stroke: faint, font, grid, ticks: { show: false }, size: 52, values: (_: unknown, splits: number[]) => splits.map((split) => amount.format(split)) },
        ],
        cursor: { y: false, drag: { x: false, y: false } },
        legend: { live: true },
      },
      data,
      into,
    ),
  );
}

for (const figure of document.querySelectorAll<HTMLElement>('[data-course]')) {
  draw(figure);
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry!.contentRect.width);
    if (width > 0) {
      drawings.get(figure)?.setSize({ width, height });
    }
  }).observe(figure.querySelector('[data-drawn]')!);
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawings.forEach((_, figure) => draw(figure)));

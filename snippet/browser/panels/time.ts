/** Days that may be chosen, from today on. */
const ahead = 7;

/** Minutes between two times that may be chosen, and before the first. */
const step = 30;

const first = 10;

/** The hour that is proposed on later days. */
const morning = 10;

/** Midnight of a day from now, by the visitor's clock. */
function midnight(days: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
}

/** The days from now for which there are times, and their names. */
export function dayNames(language: string, today: string, tomorrow: string): { days: number[]; name(day: number): string } {
  const days: number[] = [];
  for (let day = slots(language, 0).times.length ? 0 : 1; day < ahead; day++) {
    days[days.length] = day;
  }
  return {
    days,
    name: (day) => (day === 0 ? today : day === 1 ? tomorrow : midnight(day).toLocaleDateString(language, { weekday: 'short', day: 'numeric', month: 'short' })),
  };
}

/** The times of the day that are yet to come, in milliseconds, and how they are written. */
export function slots(language: string, day: number): { times: number[]; usual: number; name(time: number): string } {
  const times: number[] = [];
  let usual = 0;
  const next = midnight(day + 1).getTime();
  for (let time = midnight(day).getTime(); time < next; time += step * 60_000) {
    if (time > Date.now() + first * 60_000) {
      times[times.length] = time;
      usual = usual || (day === 0 || new Date(time).getHours() >= morning ? time : 0);
    }
  }
  return { times, usual, name: (time) => new Date(time).toLocaleTimeString(language, { hour: 'numeric', minute: '2-digit' }) };
}

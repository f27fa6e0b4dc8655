import { inside, write } from './events';

/** The words of times and counts, see [words.Tongue.Script]: # stands for the first figure and % for the second. */
interface Words {
  now: string;
  minutes: string;
  hours: string;
  days: string;
  seconds: string;
  minutesLong: string;
  hoursLong: string;
  waiting: string;
  arrivals: Record<string, string>;
}

export const words: Words = JSON.parse(inside<HTMLMetaElement>(document, 'meta[name=words]').content);
export const language = document.documentElement.lang;

const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric' });
const moment = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'medium', hourCycle: 'h23' });
const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const date = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });

export function counted(text: string, count: number, minutes = 0): string {
  return text.replace('#', String(count)).replace('%', String(minutes));
}

function ago(at: Date): string {
  const past = (Date.now() - at.getTime()) / 60000;
  if (past < 1) {
    return words.now;
  }
  if (past < 60) {
    return counted(words.minutes, Math.floor(past));
  }
  if (past < 24 * 60) {
    return counted(words.hours, Math.floor(past / 60));
  }
  if (past < 7 * 24 * 60) {
    return counted(words.days, Math.floor(past / 60 / 24));
  }
  return day.format(at);
}

function span(from: Date): string {
  const seconds = Math.max(0, Math.floor((Date.now() - from.getTime()) / 1000));
  if (seconds < 60) {
    return counted(words.seconds, seconds);
  }
  if (seconds < 3600) {
    return counted(words.minutesLong, Math.floor(seconds / 60));
  }
  return counted(words.hoursLong, Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60));
}

/** How a time is written, by its data-as. */
const writings: Record<string, (at: Date) => string> = {
  span,
  clock: (at) => clock.format(at),
  date: (at) => date.format(at),
  moment: (at) => (at.toDateString() === new Date().toDateString() ? clock.format(at) : `${date.format(at)}, ${clock.format(at)}`),
  exact: (at) => moment.format(at),
};

/** Writes the times within in the browser's zone, as they are now. */
export function tellTimes(within: ParentNode): void {
  for (const time of within.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const at = new Date(time.dateTime);
    if (!isNaN(at.getTime())) {
      time.title = moment.format(at);
      write(time, (writings[time.dataset.as ?? ''] ?? ago)(at));
    }
  }
  for (const input of within.querySelectorAll<HTMLInputElement>('input[data-at]')) {
    const at = new Date(input.dataset.at!);
    if (!isNaN(at.getTime())) {
      input.value = new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
    }
    delete input.dataset.at;
  }
}

// Moments are typed in the browser's time, and sent in UTC. One that was not accepted comes back in it.
document.addEventListener('formdata', ({ target, formData }) => {
  for (const input of (target as HTMLFormElement).querySelectorAll<HTMLInputElement>('input[type=datetime-local]')) {
    const at = new Date(input.value);
    if (!isNaN(at.getTime())) {
      formData.set(input.name, at.toISOString());
    }
  }
});
document.addEventListener('redrawn', () => tellTimes(document));
tellTimes(document);
setInterval(() => tellTimes(document), 15000);

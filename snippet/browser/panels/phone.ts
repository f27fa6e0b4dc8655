import type { Answer } from '../view';
import { captcha as makeCaptcha } from './captcha';
import { empty, icon, make, signs } from './dom';
import { field, sending, sentBy, told } from './form';
import { masked } from './mask';
import type { Core, Widget } from './shell';
import { dayNames, slots } from './time';

/** The sitephone form, which orders a callback. */
export interface Phone {
  prepare(): HTMLElement | undefined;
}

/** What has become of a call, by its status (browser interface, section 7). */
export const statuses = (texts: Record<string, string>): string[] => [
  texts['phone.status.0'],
  texts['phone.status.1'],
  texts['phone.status.2'],
  texts['phone.status.3'],
  texts['phone.status.4'],
];

export function phone(
  core: Core,
  view: HTMLElement,
  language: string,
  texts: Record<string, string>,
  widget: Widget,
  closed: () => void,
  group: () => number | undefined,
): Phone {
  const number = field('tel', texts['field.phone'], undefined, { type: 'tel', autocomplete: 'tel', inputmode: 'tel', dir: 'ltr' });
  const faultOf = masked(core, widget, number.input as HTMLInputElement);
  const day = field('day', texts['phone.day'], undefined, {}, 'select');
  const time = field('time', texts['phone.time'], undefined, {}, 'select');
  const later = make('div', { hidden: true }, make('div', { class: 'pair' }, day.element, time.element), make('p', { class: 'hint' }, texts['phone.zone']));
  const way = (value: string, label: string, on: boolean): HTMLElement =>
    make('label', {}, make('input', { type: 'radio', name: 'when', value, checked: on, change: chosen }), label);
  const when = make(
    'fieldset',
    { class: 'field' },
    make('legend', {}, texts['phone.when']),
    make('div', { class: 'choice' }, way('now', texts['phone.now'], true), way('later', texts['phone.later'], false)),
    later,
  );
  const question = widget.captcha ? makeCaptcha(core, language, texts) : undefined;
  const send = sending(core, texts['phone.order'], texts, submit);
  const form = make(
    'form',
    sentBy(submit),
    make('p', { class: 'intro' }, texts['phone.intro']),
    number.element,
    when,
    question ? question.element : undefined,
    send.elements,
  );
  let shown = false;

  day.input.addEventListener('change', fillTimes);

  function chosen(event: Event): void {
    later.hidden = (event.target as HTMLInputElement).value === 'now';
    if (!later.hidden) {
      fillDays();
    }
  }

  function options(select: HTMLElement, values: number[], label: (value: number) => string): void {
    empty(select);
    for (let i = 0; i < values.length; i++) {
      select.appendChild(make('option', { value: values[i] }, label(values[i])));
    }
  }

  function fillDays(): void {
    const days = dayNames(language, texts['phone.today'], texts['phone.tomorrow']);
    options(day.input, days.days, days.name);
    fillTimes();
  }

  function fillTimes(): void {
    const { times, usual, name } = slots(language, Number(day.input.value));
    options(time.input, times, name);
    time.input.value = String(usual);
    time.fault();
  }

  function submit(): void {
    const wanted = later.hidden ? undefined : Number(time.input.value);
    const fault = texts[faultOf()];
    number.fault(fault);
    time.fault(wanted !== undefined && wanted <= Date.now() ? texts['form.time'] : undefined);
    if (fault) {
      number.input.focus();
    } else if (wanted !== undefined && wanted <= Date.now()) {
      time.input.focus();
    } else {
      const solution = question ? question.solution() : {};
      if (solution) {
        const request = {
          ...solution,
          phone: number.input.value,
          delayed_call_time: wanted === undefined ? undefined : String(wanted),
          group_id: group(),
        };
        send.post('callback', request, (answer) => over(answer, wanted !== undefined));
      }
    }
  }

  function over({ success, data }: Answer, later: boolean): void {
    const { status, code } = Object(data.result);
    const foreign = /^(wrong_phone|number_type_not_allowed|country_not_allowed)$/.test(code);
    if (success) {
      shown = false;
      const words = code !== 'later' ? texts['phone.told.now'] : later ? texts['phone.told.later'] : texts['phone.told.opening'];
      told(view, icon(signs.phone), words, undefined, texts['panel.close'], closed);
    } else if (status === 1 && question) {
      question.wrong();
    } else {
      send.fail(foreign ? '' : statuses(texts)[status] || statuses(texts)[3]);
      if (question) {
        question.renew();
      }
      if (foreign) {
        number.fault(texts['phone.refused']);
        number.input.focus();
      }
    }
  }

  return {
    prepare() {
      if (!shown) {
        shown = true;
        empty(view);
        view.appendChild(form);
        if (question) {
          question.renew();
        }
      }
      return number.input;
    },
  };
}

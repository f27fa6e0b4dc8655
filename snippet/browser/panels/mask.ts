import { Maskito, maskitoTransform, type MaskitoOptions } from '@maskito/core';
import type { Core, Widget } from './shell';

/** Characters of a mask that stand for a digit: the first of them that the mask has does. */
const placeholders = ['#', '_', 'x', 'X', '9', '0'];

/** Digits of which the first kind has to be there, for the text to be a mask. */
const fewest = 4;

/** What a mask takes in its places, undefined where the text is no mask. */
function expression(mask: string): (string | RegExp)[] | undefined {
  for (let i = 0; i < placeholders.length; i++) {
    const parts = mask.split(placeholders[i]);
    if (parts.length > fewest) {
      const places: (string | RegExp)[] = [];
      for (let k = 0; k < mask.length; k++) {
        places[k] = mask[k] === placeholders[i] ? /\d/ : mask[k];
      }
      return places;
    }
  }
  return undefined;
}

/**
 * The options of a mask. A whole number that is pasted or filled in may have another code than the mask: its last digits count, as many as
 * the mask has places for.
 */
function optionsOf(mask: string): MaskitoOptions | undefined {
  const places = expression(mask);
  if (!places) {
    return undefined;
  }
  let count = 0;
  for (let i = 0; i < places.length; i++) {
    count += typeof places[i] === 'string' ? 0 : 1;
  }
  const last = (text: string): string => {
    const digits = text.replace(/\D/g, '');
    return digits.length > count ? digits.slice(-count) : text;
  };
  return {
    mask: places,
    preprocessors: [
      ({ elementState, data }, action) =>
        action === 'validation' && expressionMisses(places, elementState.value)
          ? { elementState: { ...elementState, value: last(elementState.value) }, data }
          : { elementState, data: last(data) },
    ],
  };
}

/** Whether the text is none that the mask has let in. */
function expressionMisses(places: (string | RegExp)[], value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const place = places[i];
    if (typeof place === 'string' ? place !== value[i] : !place || !place.test(value[i])) {
      return true;
    }
  }
  return false;
}

/** Whether the mask works here: it needs methods of arrays, which pages have changed. */
function works(options: MaskitoOptions): boolean {
  let whole = '';
  const places = options.mask as (string | RegExp)[];
  for (let i = 0; i < places.length; i++) {
    whole += typeof places[i] === 'string' ? places[i] : '5';
  }
  try {
    const list = [1];
    list.push(2);
    return (
      list.pop() === 2 &&
      list.map((one) => one + 1)[0] === 2 &&
      list.some((one) => one === 1) &&
      list.every((one) => one === 1) &&
      list.concat(list).length === 2 &&
      maskitoTransform(whole, options) === whole
    );
  } catch {
    return false;
  }
}

/** Gives a field of a phone number the mask that the page has set, or that of the site. It gives whether a number is whole. */
export function masked(core: Core, widget: Widget, input: HTMLInputElement): () => boolean {
  const set = core.settings.setUIPhoneMaskFormat;
  const mask = (typeof set === 'string' && set) || widget.mask;
  const options = optionsOf(mask);
  if (!options || !works(options)) {
    return () => {
      const digits = input.value.replace(/\D/g, '').length;
      return digits >= 5 && digits <= 15; // E.164
    };
  }
  const length = (options.mask as unknown[]).length;
  input.placeholder = mask.replace(/[#xX]/g, '_');
  new Maskito(input, options);
  return () => input.value.length === length;
}

import { digitsOf, latin, maskOf, shown } from './number';
import type { Core, Widget } from './shell';

/** Digits that a number has at least. */
const fewest = 5;

/**
 * Gives a field of a phone number the mask that the page has set, or that of the site. It gives a function that names what is to be said of
 * the number, nothing if it is whole. What only looks wrong is said once: the same number goes when it is sent again.
 */
export function masked(core: Core, widget: Widget, input: HTMLInputElement): () => string {
  const set = core.settings.setUIPhoneMaskFormat;
  const mask = maskOf((typeof set === 'string' && set) || widget.mask);
  let typed: string | undefined;
  let asked = '';

  /** Writes the number as the mask has it, and tells whether it is whole. */
  function write(left: boolean, backward = false): boolean {
    const { value } = input;
    const number = mask ? shown(mask, value, typed, left) : { text: latin(value), whole: digitsOf(value).length < 16 };
    typed = number.typed;
    if (number.text !== value) {
      const caret = input.selectionStart === null ? value.length : input.selectionStart;
      const before = digitsOf(value.slice(0, caret)).length;
      const behind = digitsOf(value.slice(caret)).length;
      input.value = number.text;
      if (!left) {
        // The caret stays before the digits that were behind it; one that went back over a sign stays behind those before it.
        const at = backward ? placeBehind(number.text, before) : placeBefore(number.text, behind);
        input.setSelectionRange(at, at);
      }
    }
    return number.whole;
  }

  const written = (event: Event): void => {
    if (!(event as InputEvent).isComposing) {
      write(false, /Backward/.test((event as InputEvent).inputType));
    }
  };
  input.addEventListener('input', written);
  input.addEventListener('compositionend', written);
  input.addEventListener('change', () => write(true));
  if (mask) {
    input.placeholder = mask.text.replace(/[#xX]/g, '_');
  }
  return () => {
    const whole = write(true);
    if (digitsOf(input.value).length < fewest) {
      return 'form.phone';
    }
    if (whole || asked === input.value) {
      return '';
    }
    asked = input.value;
    return 'form.phone.sure';
  };
}

/** The place in the text that has so many digits before it, right behind the last of them. */
function placeBehind(text: string, digits: number): number {
  let at = 0;
  for (; digits > 0 && at < text.length; at++) {
    digits -= /\d/.test(text[at]) ? 1 : 0;
  }
  return at;
}

/** The place in the text that has so many digits behind it, right before the first of them. */
function placeBefore(text: string, digits: number): number {
  let at = text.length;
  for (; digits > 0 && at > 0; at--) {
    digits -= /\d/.test(text[at - 1]) ? 1 : 0;
  }
  return at;
}

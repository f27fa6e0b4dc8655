import type { Answer } from '../view';
import { make, set, signButton, signs } from './dom';
import { field } from './form';
import type { Core } from './shell';

/** A question with four digits. */
export interface Captcha {
  element: HTMLElement;
  /** Gets a picture, another one if there is one. */
  renew(): void;
  /** What is to be sent; undefined, and said to the visitor, where the digits are missing. */
  solution(): { captcha_key: string; captcha_value: string } | undefined;
  wrong(): void;
}

/** Milliseconds after which a picture is not used any more: the service keeps its keys for some minutes. */
const fresh = 240_000;

/**
 * The picture and the sound are fetched, decoded and drawn here: a policy that forbids the page pictures and media does not forbid
 * these.
 */
export function captcha(core: Core, language: string, texts: Record<string, string>): Captcha {
  const digits = field('captcha', texts['captcha.label'], undefined, {
    inputmode: 'numeric',
    autocomplete: 'off',
    maxlength: 4,
    dir: 'ltr',
    class: 'digits',
  });
  const picture = make<HTMLCanvasElement>('canvas', { class: 'picture', role: 'img', 'aria-label': texts['captcha.picture'], width: 240, height: 88 });
  const listen = signButton(signs.sound, texts['captcha.sound'], play);
  const row = make('div', { class: 'captcha' }, picture, digits.input, listen, signButton(signs.again, texts['captcha.refresh'], renew));
  digits.element.insertBefore(row, digits.element.lastChild);
  let key = '';
  let sound = '';
  let got = 0;
  let asked = 0;
  let missing = '';
  let audio: AudioContext | undefined;

  async function renew(): Promise<void> {
    const nth = ++asked;
    const current = (): boolean => nth === asked;
    key = '';
    digits.input.value = '';
    const { success, data } = await { then: (over: (answer: Answer) => void) => core.call('captcha', { language }, over) };
    if (!current()) {
      return;
    }
    try {
      if (!success) {
        throw new Error('no captcha');
      }
      const image = await createImageBitmap(await (await fetch(String(data.url))).blob());
      if (current()) {
        picture.width = image.width;
        picture.height = image.height;
        picture.getContext('2d')!.drawImage(image, 0, 0);
        key = String(data.key);
        sound = data.sound ? String(data.sound) : '';
        set(listen, 'hidden', !sound);
        got = Date.now();
        if (missing) {
          missing = '';
          digits.fault();
        }
      }
    } catch {
      if (current()) {
        missing = texts[data.code === 'no_consent' ? 'form.refused.no_consent' : 'captcha.missing'];
        digits.fault(missing);
      }
    }
  }

  async function play(): Promise<void> {
    try {
      // It has to begin with the press: browsers let pages sound only then.
      audio = audio || new AudioContext();
      const context = audio;
      context.resume();
      const source = context.createBufferSource();
      source.buffer = await context.decodeAudioData(await (await fetch(sound)).arrayBuffer());
      source.connect(context.destination);
      source.start();
      digits.input.focus();
    } catch {
      digits.fault(texts['captcha.missing']);
    }
  }

  return {
    element: digits.element,
    renew() {
      digits.fault();
      renew();
    },
    solution() {
      const value = digits.input.value.replace(/\D/g, '');
      if (key && Date.now() - got > fresh) {
        renew();
        digits.fault(texts['captcha.wrong']);
      } else if (!key) {
        digits.fault(missing || texts['captcha.missing']);
        renew();
      } else if (value.length !== 4) {
        digits.fault(texts['form.four']);
      } else {
        return { captcha_key: key, captcha_value: value };
      }
      digits.input.focus();
      return undefined;
    },
    wrong() {
      renew();
      digits.fault(texts['captcha.wrong']);
      digits.input.focus();
    },
  };
}

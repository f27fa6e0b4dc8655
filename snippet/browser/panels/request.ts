import { each } from '../text';
import type { Answer } from '../view';
import { empty, icon, make, signs } from './dom';
import { field, type Input, isAddress, longest, sending, sentBy, told } from './form';
import { masked } from './mask';
import type { Core, Field, Widget } from './shell';

/** The lead form. It keeps what has been written while other views are shown. */
export interface Request {
  /** Shows the form anew after it was sent. `away` says that nobody is there. */
  prepare(away: boolean, message?: string): HTMLElement | undefined;
}

const kinds: Record<string, Record<string, string>> = {
  name: { autocomplete: 'name' },
  phone: { type: 'tel', autocomplete: 'tel', inputmode: 'tel', dir: 'ltr' },
  email: { type: 'email', autocomplete: 'email', inputmode: 'email', dir: 'ltr' },
};

export function request(
  core: Core,
  view: HTMLElement,
  texts: Record<string, string>,
  widget: Widget,
  closed: () => void,
  group: () => number | undefined,
): Request {
  const names: Record<string, string> = {
    name: texts['field.name'],
    phone: texts['field.phone'],
    email: texts['field.email'],
    message: texts['field.message'],
  };
  const intro = make('p', { class: 'intro' });
  const asked: Field[] = [];
  const fields: Input[] = [];
  let phoneFault = (): string => '';
  const send = sending(core, texts['request.send'], texts, submit);
  const form = make('form', sentBy(submit));
  let sent = false;

  form.appendChild(send.elements);
  each(widget.fields, add);

  function add(one: Field): void {
    const { name, label, required } = one;
    const attributes = kinds[name] || { autocomplete: 'off' };
    const made = field(name, label || names[name] || name, required ? undefined : texts['field.optional'], attributes, name === 'message' ? 'textarea' : 'input');
    if (name === 'phone') {
      phoneFault = masked(core, widget, made.input as HTMLInputElement);
    }
    asked[asked.length] = one;
    fields[fields.length] = made;
    form.insertBefore(made.element, send.elements);
  }

  /** Puts the text into the field for messages, which a form that asks for none gets now. */
  function write(message: string): void {
    if (!inputOf('message')) {
      add({ name: 'message', required: false });
    }
    inputOf('message')!.value = message;
  }

  function inputOf(name: string): Input['input'] | undefined {
    for (let i = 0; i < fields.length; i++) {
      if (asked[i].name === name) {
        return fields[i].input;
      }
    }
    return undefined;
  }

  function valueOf(name: string): string {
    const input = inputOf(name);
    return input ? input.value.trim() : '';
  }

  /** What is wrong with the field, empty when nothing is. */
  function faultOf(i: number): string {
    const { name, required } = asked[i];
    const value = valueOf(name);
    if (!value) {
      const contact = (name === 'phone' || name === 'email') && !valueOf('phone') && !valueOf('email');
      return required ? texts['form.required'] : contact ? texts['form.contact'] : '';
    }
    if (value.length > longest) {
      return texts['form.too_long'].replace('{count}', String(value.length - longest));
    }
    return name === 'email' && !isAddress(value) ? texts['form.email'] : name === 'phone' ? texts[phoneFault()] || '' : '';
  }

  function submit(): void {
    let first: Input | undefined;
    const body: Record<string, unknown> = { form_name: texts['request.title'], group_id: group() };
    const others: Record<string, string> = {};
    for (let i = 0; i < fields.length; i++) {
      const { name } = asked[i];
      const fault = faultOf(i);
      // Any one way to answer is enough: it is asked for once.
      fields[i].fault(fault === texts['form.contact'] && first ? '' : fault);
      first = first || (fault ? fields[i] : undefined);
      if (names[name]) {
        body[name] = valueOf(name);
      } else {
        others[name] = valueOf(name);
      }
    }
    body.user_fields = others;
    if (first) {
      first.input.focus();
    } else {
      send.post('lead', body, over);
    }
  }

  function over({ success }: Answer): void {
    if (!success) {
      send.fail(texts['form.failed']);
    } else {
      sent = true;
      const message = inputOf('message');
      if (message) {
        message.value = '';
      }
      told(view, icon(signs.done), texts['request.sent'], texts['request.sent.next'], texts['panel.close'], closed);
    }
  }

  return {
    prepare(away, message) {
      intro.textContent = away ? texts['request.away'] : texts['request.intro'];
      if (sent || !form.isConnected || !form.parentNode) {
        sent = false;
        empty(view);
        view.appendChild(intro);
        view.appendChild(form);
      }
      if (message) {
        write(message);
      }
      return fields[0] && fields[0].input;
    },
  };
}

import type { Shell } from '../panels/shell';
import { each } from '../text';
import type { Sound } from './sound';
import type { Message } from './conversation';

/** Milliseconds in which another tab may show a message and say that it is read, and up to so many more, for one to sound before the others. */
const elsewhere = 1000;
const apart = 500;

/** Milliseconds after which all tabs see what each has kept. */
const settled = 200;

/** What tells of messages that the visitor does not look at. */
export interface Unseen {
  /** Sounds for the message, unless another tab shows it or has sounded. */
  ring(seq: number): void;
  /** Shows beside the launcher, once, what an operator has said and the visitor has not read. */
  speak(messages: Message[]): void;
}

/** `known` is the conversation, and `read` the number up to which the visitor has read. */
export function unseen(shell: Shell, bell: Sound, known: () => number, read: () => number): Unseen {
  return {
    ring(seq) {
      const of = known() + ' ';
      setTimeout(
        () => {
          const rung = shell.kept('rung') || '';
          const done = rung.slice(0, of.length) === of ? parseInt(rung.slice(of.length), 10) : 0;
          if (read() < seq && done < seq && bell.ready()) {
            // Other tabs may be here at the same moment. Who was the last to keep its own mark sounds, and whoever can keep none.
            const mark = of + seq + ' ' + Math.random();
            shell.keep('rung', mark);
            setTimeout(() => {
              const last = shell.kept('rung') || '';
              if ((last === mark || last === rung) && read() < seq) {
                bell.play();
              }
            }, settled);
          }
        },
        elsewhere + Math.random() * apart,
      );
    },
    speak(messages) {
      each(messages, ({ seq, from, operator, text }) => {
        const slot = known() + ' ' + seq;
        if (from === 'operator' && seq > read() && text && shell.kept('spoken') !== slot) {
          shell.keep('spoken', slot);
          shell.speak((operator ? operator + ': ' : '') + text.slice(0, 200));
        }
      });
    },
  };
}

import { around, byId, inside } from './events';

// Fetches files of lists, and tells how far they are. Where this cannot be done, the browser downloads them by their links.

/** How many bytes are held until a file is whole. What is larger is left to the browser, which writes it to the disk. */
const most = 512 * 1024 * 1024;

const dialog = byId<HTMLDialogElement>('preparing');
const bar = dialog && inside<HTMLProgressElement>(dialog, 'progress');
const number = new Intl.NumberFormat(document.documentElement.lang);

let stop: AbortController | undefined;

/** Tells the rows so far; of is how many there will be, or 0 where nobody knows. */
function tell(rows: number, of: number): void {
  inside(dialog!, '[data-rows]').textContent = number.format(rows) + (of > 0 ? ' / ' + number.format(of) : '');
  if (of > 0) {
    bar!.max = of;
    bar!.value = Math.min(rows, of);
  } else {
    bar!.removeAttribute('value');
  }
}

/** The pieces of a file, each behind a line with the number of rows so far and the number of its bytes. */
class Pieces {
  private line = '';
  private left = 0;
  rows = 0;
  size = 0;
  readonly parts: Uint8Array<ArrayBuffer>[] = [];

  take(bytes: Uint8Array<ArrayBuffer>): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.left > 0) {
        const part = bytes.slice(at, at + this.left);
        this.parts.push(part);
        this.size += part.length;
        this.left -= part.length;
        at += part.length;
        continue;
      }
      const sign = String.fromCharCode(bytes[at++]!);
      if (sign !== '\n') {
        this.line += sign;
        continue;
      }
      const [rows, size] = this.line.split(' ').map(Number);
      this.line = '';
      this.rows = rows!;
      this.left = size!;
    }
  }
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // by then the browser has it
}

/** Fetches the file; it returns false if the browser has to. */
async function fetched(address: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(address, { signal, headers: { 'Console-Progress': '1' }, cache: 'no-store' });
  const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1];
  if (!answer.ok || !answer.body || !name) {
    return false; // what was refused is said on a page
  }
  const of = Number(answer.headers.get('Console-Rows'));
  const pieces = new Pieces();
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    pieces.take(value);
    tell(pieces.rows, of);
    if (pieces.size > most) {
      await reader.cancel();
      return false;
    }
  }
  save(new Blob(pieces.parts, { type: answer.headers.get('Content-Type') ?? '' }), name);
  return true;
}

async function prepare(address: string): Promise<void> {
  const own = (stop = new AbortController());
  inside(dialog!, '[data-failed]').hidden = true;
  bar!.hidden = false;
  tell(0, 0);
  dialog!.showModal();
  try {
    const done = await fetched(address, own.signal);
    dialog!.close();
    if (!done) {
      location.assign(address);
    }
  } catch {
    if (!own.signal.aborted) {
      bar!.hidden = true;
      inside(dialog!, '[data-failed]').hidden = false;
    }
  }
}

if (dialog) {
  // Before other listeners, which would follow the link.
  document.addEventListener(
    'click',
    (event) => {
      const link = around(event, 'a[data-file]') as HTMLAnchorElement | null;
      if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
        return;
      }
      event.preventDefault();
      void prepare(link.href);
    },
    true,
  );
  dialog.addEventListener('close', () => stop?.abort());
  inside(dialog, '[data-cancel]').addEventListener('click', () => dialog.close());
}

import type { Shell } from '../panels/shell';

/** Pixels of the longer side of a preview. */
const longer = 440;

/**
 * A file that is to be sent: its picture, or its name. The picture is drawn and has no address: policies of pages often forbid those
 * that a browser makes for its own.
 */
export function preview({ make }: Shell, file: File): HTMLElement {
  const element = make('p', {}, file.name);
  draw(element, file);
  return element;
}

async function draw(into: HTMLElement, file: File): Promise<void> {
  if (!/^image\//.test(file.type)) {
    return;
  }
  try {
    const picture = await createImageBitmap(file);
    const { width, height } = picture;
    const scale = Math.min(1, longer / Math.max(width, height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, width * scale);
    canvas.height = Math.max(1, height * scale);
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', file.name);
    canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height);
    into.textContent = '';
    into.className = 'photo';
    into.appendChild(canvas);
  } catch {
    // The browser does not show it: the name stays.
  }
}

// A finger leaves :hover behind where it touched last; only a mouse rests on what it points at.
let mouse = false;
addEventListener('pointerover', (event) => (mouse = event.pointerType === 'mouse'), { capture: true, passive: true });

/** Tells whether the mouse or the focus is in the list, so that none of its rows may move. */
export function rests(list: Element): boolean {
  return (mouse && list.matches(':hover')) || list.contains(document.activeElement);
}

/** How pages scroll to a place. */
export function calmly(): ScrollBehavior {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
}

import { byId, inside } from '../../frame/browser/events';

/** The open conversation: its address, and where it stands in the page. */
export interface Conversation {
  at: string;
  element: HTMLElement;
  form: HTMLFormElement;
  box: HTMLTextAreaElement;
  /** The words that the page has for its script. */
  texts: Record<string, string>;
}

/** The conversation that the page shows, if one is open. */
export function openConversation(): Conversation | null {
  const element = document.querySelector<HTMLElement>('[data-chat]');
  if (!element) {
    return null;
  }
  const form = inside<HTMLFormElement>(element, '[data-answer]');
  return { at: element.dataset.chat!, element, form, box: byId<HTMLTextAreaElement>('answer'), texts: form.dataset as Record<string, string> };
}

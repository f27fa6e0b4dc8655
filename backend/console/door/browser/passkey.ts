import { complain } from '../../frame/browser/events';

// Forms that send a passkey: the server gives a challenge, the browser's authenticator answers it, and the answer goes with the form.

/** What the browser says in the form's field: as JSON, in the way of WebAuthn, section 5.1. */
async function answer(form: HTMLFormElement): Promise<string | null> {
  const asked = await fetch(form.dataset.passkey!, {
    method: 'POST',
    body: new URLSearchParams(new FormData(form) as unknown as Record<string, string>),
    headers: { 'Console-Form': 'in the page' },
  });
  const elsewhere = asked.headers.get('Console-Location');
  if (elsewhere) {
    location.assign(elsewhere);
    return null;
  }
  const type = asked.headers.get('Content-Type') ?? '';
  if (!type.startsWith('application/json')) {
    throw new Error(type.startsWith('text/plain') ? await asked.text() : '');
  }
  const options = await asked.json();
  const made = options.user
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return JSON.stringify(made);
}

/** Why there is no passkey, in words of the page. */
function reason(form: HTMLFormElement, failure: unknown): string | undefined {
  if (failure instanceof DOMException) {
    return failure.name === 'InvalidStateError' ? form.dataset.known : form.dataset.cancelled;
  }
  return failure instanceof TypeError ? undefined : (failure as Error).message;
}

// Before the one that sends forms.
document.addEventListener(
  'submit',
  async (event) => {
    const form = event.target as HTMLFormElement;
    const field = form.elements.namedItem('credential') as HTMLInputElement | null;
    if (!form.matches('[data-passkey]') || field!.value) {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    const button = event.submitter ?? form.querySelector('button')!;
    if (!('PublicKeyCredential' in window) || !PublicKeyCredential.parseRequestOptionsFromJSON) {
      return complain(button, form.dataset.missing);
    }
    button.setAttribute('aria-busy', 'true');
    try {
      field!.value = (await answer(form)) ?? '';
      if (field!.value) {
        form.requestSubmit(button);
      }
    } catch (failure) {
      complain(button, reason(form, failure));
    } finally {
      field!.value = ''; // each answer goes once
      button.removeAttribute('aria-busy');
    }
  },
  true,
);

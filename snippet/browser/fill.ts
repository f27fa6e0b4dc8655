/**
 * Puts the credentials of the page into forms that are being sent, in hidden fields of the credentials' names (browser
 * interface, section 4.2). It is loaded by the pages of sites whose configuration names such forms.
 */
const script = document.currentScript;

const names = ['site_key', 'key', 'uri', 'visitor_id', 'hit_id', 'session_id', 'consultant_server_url'];

/** What the core gives the page; nothing while it is not there. */
function credentials(): Record<string, unknown> {
  try {
    return (window as unknown as Record<string, any>)[script!.dataset.object!].getCredentials();
  } catch {
    return {};
  }
}

function wants(form: unknown): form is HTMLFormElement {
  try {
    return form instanceof HTMLFormElement && form.matches(script!.dataset.forms!);
  } catch {
    return false; // a selector that this browser does not know
  }
}

/** Fills the hidden fields, which are made where they are missing. A field that people fill stays theirs. */
function fill(form: HTMLFormElement): void {
  const given = credentials();
  for (const name of names) {
    const value = given[name];
    const fields = Array.from(form.elements).filter((field) => (field as HTMLInputElement).name === name) as HTMLInputElement[];
    if (value == null || fields.some((field) => field.type !== 'hidden')) {
      continue;
    }
    let field = fields[0];
    if (!field) {
      field = document.createElement('input');
      field.type = 'hidden';
      field.name = name;
      form.appendChild(field);
    }
    field.value = String(value);
  }
}

if (script && script.dataset.forms) {
  // Before the page's own handlers, which may send the form by themselves. What is sent by form.submit() fires no submit.
  window.addEventListener('submit', (event) => wants(event.target) && fill(event.target), true);
  window.addEventListener(
    'formdata',
    (event) => {
      if (wants(event.target)) {
        fill(event.target);
        for (const name of names) {
          const field = event.target.elements.namedItem(name);
          if (field instanceof HTMLInputElement && field.type === 'hidden') {
            (event as FormDataEvent).formData.set(name, field.value);
          }
        }
      }
    },
    true,
  );
}

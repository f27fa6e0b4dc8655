import { around, byId, inside, write } from './events';

// What single fields and buttons of the pages do.

document.addEventListener('change', (event) => {
  const field = event.target as HTMLSelectElement;
  if (field.matches('[data-submits]')) {
    field.form!.requestSubmit();
  }
});

/** Hosts are suggested to what is typed. */
document.addEventListener('input', async (event) => {
  const field = event.target as HTMLInputElement;
  if (field.matches('[data-hosts]')) {
    const answer = await fetch('/hosts?' + new URLSearchParams({ host: field.value }));
    const options = await answer.text();
    if (answer.ok) {
      field.list!.innerHTML = options;
    }
  }
});

/** A file that is too large is not sent: the field says so. */
document.addEventListener('change', (event) => {
  const field = event.target as HTMLInputElement;
  if (field.matches('[data-most]')) {
    field.setCustomValidity(field.files![0]?.size > Number(field.dataset.most) ? field.dataset.large! : '');
    field.reportValidity();
  }
});

/** Where a time zone is asked for and none is given, the browser's is filled in. */
function fillZones(): void {
  for (const field of document.querySelectorAll<HTMLInputElement>('[data-zone]')) {
    field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone;
  }
}
fillZones();
document.addEventListener('redrawn', fillZones);

document.addEventListener('focusin', (event) => {
  const field = event.target as HTMLInputElement;
  if (field.matches('[data-selects]')) {
    field.select();
  }
});
document.addEventListener('click', async (event) => {
  const button = around(event, '[data-copies]');
  if (!button) {
    return;
  }
  const from = byId(button.dataset.copies!);
  const field = from instanceof HTMLInputElement || from instanceof HTMLTextAreaElement ? from : null;
  const label = inside(button, '[data-done]');
  try {
    await navigator.clipboard.writeText(field ? field.value : from.textContent!);
  } catch {
    // Over plain HTTP there is no clipboard: the text is selected, to be copied by hand.
    getSelection()!.selectAllChildren(from);
    field?.select();
    return;
  }
  const before = label.textContent!;
  write(label, label.dataset.done!);
  setTimeout(() => write(label, before), 2000);
});
addEventListener('pageshow', (event) => event.persisted && location.reload());

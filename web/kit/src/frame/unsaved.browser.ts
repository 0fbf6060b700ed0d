// What a person has typed into forms and no request has stored yet.

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const changed = new Set<Field>();
let sent = new WeakSet<HTMLFormElement>();

function isField(target: EventTarget | null): target is Field {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  );
}

/** Notes what is typed into forms, searches left out. To be called once. */
export function followUnsaved(): void {
  addEventListener('input', ({ target }) => {
    if (!isField(target) || target.form === null || 'search' in target.form.dataset) return;
    if (target.type === 'search') return;
    for (const field of changed) if (!field.isConnected) changed.delete(field);
    changed.add(target);
    sent.delete(target.form);
  });
  addEventListener(
    'submit',
    ({ target }) => {
      if (target instanceof HTMLFormElement) sent.add(target);
    },
    { capture: true },
  );
}

/** To be called when the service has accepted a write: the forms that were sent are stored. */
export function forgetSent(): void {
  for (const field of changed) if (field.form !== null && sent.has(field.form)) changed.delete(field);
}

/** To be called when a write has failed: what was sent is not stored. */
export function noteUnsent(): void {
  sent = new WeakSet();
}

/** To be called when a person gives up what they typed. */
export function forgetUnsaved(): void {
  changed.clear();
}

/** Whether leaving the page would lose something that was typed. */
export function hasUnsaved(): boolean {
  return [...changed].some((field) => field.isConnected);
}

/** Loads the console anew, without what was typed. */
export function loadAnew(): void {
  forgetUnsaved();
  location.reload();
}

// What a person has typed into forms and no request has stored yet.

import { UnsavedForms } from './unsaved-forms.js';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const unsaved = new UnsavedForms<HTMLFormElement, Field>();
let submitted: HTMLFormElement | undefined;

function isField(target: EventTarget | null): target is Field {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  );
}

/** Notes what is typed into forms, searches omitted. To be called once. */
export function followUnsaved(): void {
  addEventListener('input', ({ target }) => {
    if (!isField(target) || target.form === null || 'search' in target.form.dataset) return;
    if (target.type === 'search') return;
    unsaved.forgetGone();
    unsaved.noteTyped(target);
  });
  addEventListener('submit', noteSubmit, { capture: true });
}

function noteSubmit({ target }: Event): void {
  if (!(target instanceof HTMLFormElement) || 'search' in target.dataset) return;
  unsaved.forgetGone();
  unsaved.noteSent(target);
  submitted = target;
  // what its handlers begin at once belongs to this form
  setTimeout(() => {
    submitted = undefined;
  }, 0);
}

/** To be called when a write begins. Returns the form that was sent with it. */
export function noteWrite(): HTMLFormElement | undefined {
  unsaved.noteWrite(submitted);
  return submitted;
}

/** To be called when the service has accepted the write of the form, or one that belongs to no form. */
export function noteStored(form: HTMLFormElement | undefined): void {
  unsaved.noteStored(form);
}

/** To be called when the service has judged what the form sent, and stored nothing. */
export function noteTried(form: HTMLFormElement | undefined): void {
  unsaved.noteTried(form);
}

/** To be called when a write has failed: what its form sent is not stored. */
export function noteFailed(form: HTMLFormElement | undefined): void {
  unsaved.noteFailed(form);
}

/** To be called when a person gives up what they typed. */
export function forgetUnsaved(): void {
  unsaved.forget();
}

/** Whether leaving the page would lose something that was typed. */
export function hasUnsaved(): boolean {
  return unsaved.has((field) => field.isConnected);
}

/** Loads the console again, without what was typed. */
export function loadAnew(): void {
  forgetUnsaved();
  location.reload();
}

import { describe, expect, test } from '@jest/globals';
import { UnsavedForms } from './unsaved-forms.js';

interface Form {
  readonly name: string;
}

/** Two forms of a page with a field each, both typed into. */
function typedForms() {
  const [first, second] = [{ name: 'first' }, { name: 'second' }] as const;
  const unsaved = new UnsavedForms<Form, { readonly form: Form | null }>();
  const fields = [{ form: first }, { form: second }] as const;
  for (const field of fields) unsaved.noteTyped(field);
  const left = () =>
    fields.filter((field) => unsaved.has((one) => one === field)).map(({ form }) => form.name);
  const send = (form: Form) => {
    unsaved.noteSent(form);
    unsaved.noteWrite(form);
  };
  return { first, second, fields, unsaved, left, send };
}

describe('what is not stored', () => {
  test('is what was typed, until its form is stored', () => {
    const { first, unsaved, left, send } = typedForms();
    send(first);
    expect(left()).toEqual(['first', 'second']);
    unsaved.noteStored(first);
    expect(left()).toEqual(['second']);
  });

  test('is only the form that failed, when two are sent at once', () => {
    const { first, second, unsaved, left, send } = typedForms();
    send(first);
    send(second);
    unsaved.noteFailed(second);
    unsaved.noteStored(first);
    expect(left()).toEqual(['second']);
  });

  test('is not changed by a switch beside the form that fails or succeeds', () => {
    const { first, unsaved, left, send } = typedForms();
    send(first);
    unsaved.noteFailed(undefined);
    unsaved.noteStored(first);
    expect(left()).toEqual(['second']);
    unsaved.noteStored(undefined);
    expect(left()).toEqual(['second']);
  });

  test('is what was typed after the form was sent', () => {
    const { first, fields, unsaved, left, send } = typedForms();
    send(first);
    unsaved.noteTyped(fields[0]);
    unsaved.noteStored(first);
    expect(left()).toEqual(['first', 'second']);
  });

  test('is a form that failed, until it is sent again and stored', () => {
    const { first, unsaved, left, send } = typedForms();
    send(first);
    unsaved.noteFailed(first);
    unsaved.noteStored(undefined);
    expect(left()).toEqual(['first', 'second']);
    send(first);
    unsaved.noteStored(first);
    expect(left()).toEqual(['second']);
  });

  test('is stored by a later request, when its own only had the form checked', () => {
    const { first, unsaved, left, send } = typedForms();
    send(first);
    unsaved.noteTried(first);
    expect(left()).toEqual(['first', 'second']);
    unsaved.noteStored(undefined);
    expect(left()).toEqual(['second']);
  });

  test('is a checked form whose later request fails', () => {
    const { first, unsaved, left, send } = typedForms();
    send(first);
    unsaved.noteTried(first);
    unsaved.noteFailed(undefined);
    unsaved.noteStored(undefined);
    expect(left()).toEqual(['first', 'second']);
  });

  test('is nothing that a person gave up, and no field that is gone', () => {
    const { fields, unsaved, left } = typedForms();
    unsaved.forget((field) => field === fields[0]);
    expect(left()).toEqual(['second']);
    unsaved.forget();
    expect(left()).toEqual([]);
  });
});

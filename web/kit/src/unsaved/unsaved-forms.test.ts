import { describe, expect, test } from 'vitest';
import { UnsavedForms } from './unsaved-forms.js';

interface Form {
  readonly name: string;
  isConnected: boolean;
}

interface Field {
  readonly form: Form | null;
  isConnected: boolean;
}

/** Two forms of a page with a field each, both typed into. */
function typedForms() {
  const form = (name: string): Form => ({ name, isConnected: true });
  const [first, second] = [form('first'), form('second')] as const;
  const unsaved = new UnsavedForms<Form, Field>();
  const fieldOf = (one: Form): Field => ({ form: one, isConnected: true });
  const fields = [fieldOf(first), fieldOf(second)] as const;
  for (const field of fields) unsaved.noteTyped(field);
  const left = () =>
    fields.filter((field) => unsaved.has((one) => one === field)).map((one) => one.form?.name);
  const send = (form: Form) => {
    unsaved.noteSent(form);
    unsaved.noteWrite(form);
  };
  return { first, second, fields, unsaved, left, send };
}

describe('unsaved input', () => {
  test('is typed input, until its form is stored', () => {
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

  test('is not changed by a switch next to the form that fails or succeeds', () => {
    const { first, unsaved, left, send } = typedForms();
    send(first);
    unsaved.noteFailed(undefined);
    unsaved.noteStored(first);
    expect(left()).toEqual(['second']);
    unsaved.noteStored(undefined);
    expect(left()).toEqual(['second']);
  });

  test('includes input typed after the form was sent', () => {
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

  test('includes a checked form whose later request fails', () => {
    const { first, unsaved, left, send } = typedForms();
    send(first);
    unsaved.noteTried(first);
    unsaved.noteFailed(undefined);
    unsaved.noteStored(undefined);
    expect(left()).toEqual(['first', 'second']);
  });

  test('includes no discarded input, and no removed field', () => {
    const { fields, unsaved, left } = typedForms();
    fields[0].isConnected = false;
    unsaved.forgetGone();
    expect(left()).toEqual(['second']);
    unsaved.forget();
    expect(left()).toEqual([]);
  });

  test('includes no form that was sent and removed, even if it is shown again', () => {
    const { first, unsaved, left } = typedForms();
    unsaved.noteSent(first);
    first.isConnected = false;
    unsaved.forgetGone();
    first.isConnected = true;
    unsaved.noteStored(undefined);
    expect(left()).toEqual(['first', 'second']);
  });
});

/** A form or a field of the page. */
interface Part {
  /** Whether it is still in the page. */
  readonly isConnected: boolean;
}

/** Values that were typed into forms and are not stored yet. */
export class UnsavedForms<Form extends Part, Field extends Part & { readonly form: Form | null }> {
  readonly #changed = new Set<Field>();
  readonly #sent = new Set<Form>();
  readonly #writing = new Set<Form>();

  /** A person has typed into the field, also after the form was sent. */
  noteTyped(field: Field): void {
    this.#changed.add(field);
    if (field.form !== null) this.#sent.delete(field.form);
  }

  noteSent(form: Form): void {
    this.#sent.add(form);
  }

  /** A request has begun, for the form that was sent with it. */
  noteWrite(form: Form | undefined): void {
    if (form !== undefined) this.#writing.add(form);
  }

  /** The service has accepted a request: of its form, or of all that were sent if it is not known. */
  noteStored(form: Form | undefined): void {
    const stored = form === undefined ? [...this.#sent] : [form].filter((one) => this.#sent.has(one));
    for (const field of this.#changed) {
      if (field.form !== null && stored.includes(field.form)) this.#changed.delete(field);
    }
    this.#end(form, stored);
  }

  /** The service has only judged what the form sent: the request that stores it comes later, from outside the form. */
  noteTried(form: Form | undefined): void {
    this.#end(form, []);
  }

  /** A request has failed, so its form is not stored. If the form is not known: all without a request of their own. */
  noteFailed(form: Form | undefined): void {
    this.#end(form, form === undefined ? [...this.#sent].filter((one) => !this.#writing.has(one)) : [form]);
  }

  /** Forgets everything that was typed. */
  forget(): void {
    this.#changed.clear();
  }

  /** Forgets fields and forms that are not in the page any more. */
  forgetGone(): void {
    for (const field of this.#changed) if (!field.isConnected) this.#changed.delete(field);
    for (const form of this.#sent) if (!form.isConnected) this.#sent.delete(form);
  }

  /** Whether a field for which `isShown` holds is not stored. */
  has(isShown: (field: Field) => boolean): boolean {
    return [...this.#changed].some(isShown);
  }

  #end(form: Form | undefined, ended: readonly Form[]): void {
    for (const one of ended) this.#sent.delete(one);
    if (form !== undefined) this.#writing.delete(form);
  }
}

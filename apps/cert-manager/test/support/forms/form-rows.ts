import { type FormRow, openPath } from '@certloop/browser';
import type { Fqdn } from '@certloop/contracts';

/** What the forms of the table are about. */
export interface FormPlace {
  /** A name with a certificate. */
  readonly fqdn: Fqdn;
  /** A name of the same space that is deleted. */
  readonly goneFqdn: Fqdn;
  readonly goneSpaceId: string;
  readonly userId: string;
  readonly goneUserId: string;
  readonly goneGroupId: string;
}

export const closed: FormRow['done'] = (_, form) => form.waitFor({ state: 'detached' });
export const text =
  (words: string | RegExp): FormRow['done'] =>
  (page) =>
    page.getByText(words).first().waitFor();
export const heading =
  (name: string): FormRow['done'] =>
  (page) =>
    page.getByRole('heading', { name, exact: true }).waitFor();

/** Opens a page, and the form by a button on it. */
export function by(path: string, button?: string | RegExp, exact = true): FormRow['open'] {
  return async (page) => {
    if (new URL(page.url()).pathname !== `/ui${path}`) await openPath(page, `/ui${path}`);
    if (button !== undefined) await page.getByRole('button', { name: button, exact }).first().click();
  };
}

/** The question before something is deleted. */
export function deletion(
  source: string,
  open: FormRow['open'],
  name: string,
  send: string,
  done: FormRow['done'],
) {
  const typed = { [`Type ${name} to delete it`]: name };
  return { source, open, within: { dialog: /\?$/ }, typed, send, done };
}

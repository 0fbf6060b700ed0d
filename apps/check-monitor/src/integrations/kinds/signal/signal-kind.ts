import { z } from 'zod';
import { documentOf } from '../../healthchecks-value.js';
import type { Kind } from '../../kind.js';

export const signalSettings = z.strictObject({
  /** Telephone number (E.164), or a user name such as `ada.42`; blanks, hyphens and invisible marks are dropped. */
  recipient: z
    .string()
    .overwrite((text) => text.replaceAll(/[\s\p{Cf}-]/gu, ''))
    .max(48)
    .regex(/^(\+[1-9][0-9]{5,14}|[A-Za-z_][A-Za-z0-9_]{2,31}\.[0-9]{2,9})$/, 'must be +number or user name'),
  down: z.boolean().default(true),
  up: z.boolean().default(true),
});
export type SignalSettings = z.output<typeof signalSettings>;

/** A person on Signal. */
export const signal: Kind = {
  label: 'Signal',
  settings: signalSettings,
  secrets: [],
  isForPeople: true,
  fromHealthchecks: (value) => {
    const { value: recipient, down, up } = documentOf(value);
    return { recipient, down: down ?? true, up: up ?? true };
  },
};

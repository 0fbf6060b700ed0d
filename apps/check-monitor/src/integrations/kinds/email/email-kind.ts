import { IANAZone } from 'luxon';
import { z } from 'zod';
import { documentOr } from '../../healthchecks-value.js';
import type { Kind } from '../../kind.js';

export const emailSettings = z
  .strictObject({
    address: z.string().trim().pipe(z.email().max(254)),
    down: z.boolean().default(true),
    up: z.boolean().default(true),
    /** Zone in which the receiver reads times. */
    tz: z
      .string()
      .refine((zone) => IANAZone.isValidZone(zone), 'must be a time zone such as Europe/Riga')
      .optional(),
  })
  .refine(({ down, up }) => down || up, 'must be notified of down or of up');
export type EmailSettings = z.output<typeof emailSettings>;

/** A verified mail address. */
export const email: Kind = {
  label: 'Email',
  settings: emailSettings,
  secrets: [],
  isForPeople: true,
  needsConsent: true,
  fromHealthchecks: (value) => {
    const { value: address, ...directions } = documentOr(value, { value, up: true, down: true });
    return { address, down: directions['down'], up: directions['up'] };
  },
};

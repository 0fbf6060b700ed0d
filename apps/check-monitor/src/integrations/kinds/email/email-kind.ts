import { IANAZone } from 'luxon';
import { z } from 'zod';

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
  .refine(({ down, up }) => down || up, 'must be told of down or of up');
export type EmailSettings = z.output<typeof emailSettings>;

import { z } from 'zod';

export const emailSettings = z
  .strictObject({
    address: z.email().max(254),
    down: z.boolean().default(true),
    up: z.boolean().default(true),
  })
  .refine(({ down, up }) => down || up, 'must be told of down or of up');
export type EmailSettings = z.output<typeof emailSettings>;

import { z } from 'zod';

/** Other channels of the project, by uuid. */
export const groupSettings = z.strictObject({
  channels: z.array(z.uuid().toLowerCase()).min(1).max(100),
});
export type GroupSettings = z.output<typeof groupSettings>;

import { z } from 'zod';

export const matrixSettings = z.strictObject({
  /** Room that this service's account has joined. */
  roomId: z
    .string()
    .trim()
    .max(255)
    .regex(/^![^\s:]+(:\S+)?$/, 'must be the id of a room, such as !abc:example.org'),
});
export type MatrixSettings = z.output<typeof matrixSettings>;

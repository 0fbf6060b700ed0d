import { z } from 'zod';
import type { Kind } from '../../kind.js';

export const matrixSettings = z.strictObject({
  /** Room that this service's account has joined. */
  roomId: z
    .string()
    .trim()
    .max(255)
    .regex(/^![^\s:]+(:\S+)?$/, 'must be the id of a room, such as !abc:example.org'),
});
export type MatrixSettings = z.output<typeof matrixSettings>;

/** A room of Matrix. */
export const matrix: Kind = {
  label: 'Matrix',
  settings: matrixSettings,
  secrets: [],
  isForPeople: true,
  fromHealthchecks: (roomId) => ({ roomId }),
};

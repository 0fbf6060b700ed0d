import { z } from 'zod';
import type { Kind } from '../../kind.js';

/** Other channels of the project, by uuid. */
export const groupSettings = z.strictObject({
  channels: z.array(z.uuid().toLowerCase()).min(1).max(100),
});
export type GroupSettings = z.output<typeof groupSettings>;

/** Several channels under one name; sends nothing of its own, and an import reads its members apart. */
export const group: Kind = {
  label: 'Group',
  settings: groupSettings,
  secrets: [],
  isForPeople: false,
};

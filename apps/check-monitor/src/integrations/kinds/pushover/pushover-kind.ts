import { z } from 'zod';
import type { Kind } from '../../kind.js';
import { singleWord } from '../../settings-rules.js';

/** From -2, without a sound, to 2, repeated until someone acknowledges; -3 sends nothing. */
const priority = z.int().min(-3).max(2);

export const pushoverSettings = z.strictObject({
  /** Key of a user or of a group. */
  userKey: singleWord,
  priorityDown: priority.default(0),
  priorityUp: priority.default(0),
});
export type PushoverSettings = z.output<typeof pushoverSettings>;

export const silentPriority = -3;
export const emergencyPriority = 2;

/** A user or a group of Pushover. */
export const po: Kind = {
  label: 'Pushover',
  settings: pushoverSettings,
  secrets: [{ path: 'userKey', sentTo: null }],
  isForPeople: true,
  fromHealthchecks: (value) => {
    const [userKey, down = '', up = down] = value.split('|');
    return { userKey, priorityDown: Number(down), priorityUp: Number(up) };
  },
};

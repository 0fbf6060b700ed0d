import { z } from 'zod';
import { documentOf, withoutNulls } from '../../healthchecks-value.js';
import type { Kind } from '../../kind.js';
import { singleWord, webAddress } from '../../settings-rules.js';

/** 1 is the least urgent, 5 the most; 0 sends nothing. */
const priority = z.int().min(0).max(5);

export const ntfySettings = z.strictObject({
  url: webAddress.default('https://ntfy.sh'),
  topic: z
    .string()
    .trim()
    .regex(/^[-_A-Za-z0-9]{1,64}$/, 'must be a topic'),
  /** Empty when the topic is open to everybody. */
  token: z.union([z.literal(''), singleWord]).default(''),
  priorityDown: priority.default(3),
  priorityUp: priority.default(3),
});
export type NtfySettings = z.output<typeof ntfySettings>;

/** A topic of an ntfy server. */
export const ntfy: Kind = {
  label: 'ntfy',
  settings: ntfySettings,
  secrets: [{ path: 'token', sentTo: 'url' }],
  isForPeople: true,
  fromHealthchecks: (value) => {
    const { url, topic, token, priority: priorityDown, priority_up: priorityUp } = documentOf(value);
    return { url, topic, priorityDown, priorityUp, ...withoutNulls({ token }) };
  },
};

import { z } from 'zod';
import type { AlertStatus } from './messages/alert-event.js';

/** Address of a target on the web. */
export const webAddress = z
  .string()
  .trim()
  .max(1000)
  .refine((text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text), 'must be an http or https address');

/** A key or a name that another service gave out: one word; blanks around it are dropped, as they come from pasting. */
export const singleWord = z
  .string()
  .trim()
  .max(500)
  .regex(/^[\u0021-\u007e]+$/, 'must be one word');

/** Settings of a target that is only an address, which lets anyone who knows it write there. */
export const addressSettings = z.strictObject({ url: webAddress });
export type AddressSettings = z.output<typeof addressSettings>;

interface Priorities<Priority> {
  readonly priorityDown: Priority;
  readonly priorityUp: Priority;
}

/** Priority of messages about a change to `status`. */
export function priorityOf<Priority>(
  { priorityDown, priorityUp }: Priorities<Priority>,
  status: AlertStatus,
): Priority {
  return status === 'up' ? priorityUp : priorityDown;
}

/** Facts that the kinds whose settings are only an address have in common. */
export const ofAddress = {
  settings: addressSettings,
  secrets: [{ path: 'url', sentTo: null }],
  isForPeople: true,
} as const;

import type { Destination } from './event.js';

/** State of the sending of notices, from which its faults follow. */
export interface NoticeState {
  readonly waiting: readonly { readonly destination: Destination; readonly oldest: Date | null }[];
  /** When the webhook was switched off; null while it is on. */
  readonly disabledAt: Date | null;
}

const maxAgeMs = 3_600_000;

/** Why people do not get notices, in a sentence; undefined while they do. */
export function noticeFault({ waiting, disabledAt }: NoticeState, now: Date): string | undefined {
  if (disabledAt !== null)
    return `The webhook was switched off at ${disabledAt.toISOString()}, as its receiver had taken nothing for 5 days: correct it and restart cert-manager.`;
  for (const { destination, oldest } of waiting)
    if (oldest !== null && now.getTime() - oldest.getTime() > maxAgeMs)
      return `The oldest notice by ${destination} has waited since ${oldest.toISOString()}: see notices.${destination}_failed in the log.`;
  return undefined;
}

import { type Micros, microsPerSecond } from '../../instants.js';

/** Record of the mails that asked the holder of an address for consent. */
export interface ConsentRequest {
  readonly sentAt: Micros;
  /** Mails since the holder last agreed. */
  readonly unanswered: number;
  readonly declinedAt: Micros | null;
}

export const hour = 3600 * microsPerSecond;
export const day = 24 * hour;
/** Mails by which one user asks for consent within an hour. */
export const maxPerHour = 10;

/**
 * From when on the holder may be asked again: a day after the last mail, twice as long after each one that was not
 * answered, 128 days at most; a year after they declined.
 */
export function nextRequestAt({ sentAt, unanswered, declinedAt }: ConsentRequest): Micros {
  const afterMail = sentAt + day * 2 ** Math.min(Math.max(unanswered - 1, 0), 7);
  return declinedAt === null ? afterMail : Math.max(afterMail, declinedAt + 365 * day);
}

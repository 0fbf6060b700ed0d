const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

// 8 tries over 24 hours
const webhookWaits = [minute, 5 * minute, 25 * minute, 89 * minute, 4 * hour, 8 * hour, 10 * hour];
const mailWaits = [minute, 5 * minute, 25 * minute, 89 * minute];
const maxMailWaitMs = 4 * hour;
const maxRetryAfter = hour;
const maxFailing = 5 * 24 * hour;

/**
 * When a webhook is tried again after `attempts` tries, counted from 1; undefined after the eighth. A later moment that
 * the receiver asks for counts, up to an hour; an earlier one does not, or 8 tries would end within seconds.
 */
export function nextWebhookTry(attempts: number, now: Date, retryAt?: Date): Date | undefined {
  const wait = webhookWaits[attempts - 1];
  if (wait === undefined) return undefined;
  return new Date(Math.max(now.getTime() + wait, boundedRetry(retryAt, now)?.getTime() ?? 0));
}

/** The moment that a receiver asks for, if it is later than now: at most in an hour. */
export function boundedRetry(retryAt: Date | undefined, now: Date): Date | undefined {
  if (retryAt === undefined || retryAt <= now) return undefined;
  return new Date(Math.min(retryAt.getTime(), now.getTime() + maxRetryAfter));
}

/** Whether a webhook is switched off: its receiver has taken nothing for five days. */
export function isReceiverLost(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= maxFailing;
}

/** When a mail is tried again after `attempts` tries, counted from 1: as long as its events are stored. */
export function nextMailTry(attempts: number, now: Date): Date {
  return new Date(now.getTime() + (mailWaits[attempts - 1] ?? maxMailWaitMs));
}

/** No two mails are closer: events between them go together in the second one. */
export function nextMailAfter(sentAt: Date): Date {
  return new Date(sentAt.getTime() + minute);
}

/** Until when no webhook is sent after `count` batches in a row failed. */
export function webhookPauseUntil(count: number, now: Date): Date {
  return new Date(now.getTime() + Math.min(300 * second, 10 * second * 2 ** Math.min(count - 1, 20)));
}

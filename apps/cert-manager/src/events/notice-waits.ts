const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

// 8 tries over 24 hours
const webhookWaits = [minute, 5 * minute, 25 * minute, 89 * minute, 4 * hour, 8 * hour, 10 * hour];
const mailWaits = [minute, 5 * minute, 25 * minute, 89 * minute];
const longestMailWait = 4 * hour;

/** When a webhook is tried again after `attempts` tries, counted from 1; undefined after the eighth. */
export function nextWebhookTry(attempts: number, now: Date): Date | undefined {
  const wait = webhookWaits[attempts - 1];
  return wait === undefined ? undefined : new Date(now.getTime() + wait);
}

/** When a mail is tried again after `attempts` tries, counted from 1: as long as its events are stored. */
export function nextMailTry(attempts: number, now: Date): Date {
  return new Date(now.getTime() + (mailWaits[attempts - 1] ?? longestMailWait));
}

/** No two mails are closer: events between them go together in the second one. */
export function nextMailAfter(sentAt: Date): Date {
  return new Date(sentAt.getTime() + minute);
}

/** Until when no webhook is sent after `count` batches in a row of which none was taken. */
export function webhookPauseUntil(count: number, now: Date): Date {
  return new Date(now.getTime() + Math.min(300 * second, 10 * second * 2 ** Math.min(count - 1, 20)));
}

import type { Micros } from '../instants.js';
import type { DeliveryResult } from '../integrations/delivery/delivery-result.js';

/** How a channel is doing. */
export interface ChannelHealth {
  readonly disabledAt: Micros | null;
  readonly lastError: string | null;
  readonly lastNotifiedAt: Micros | null;
  readonly lastDeliveredAt: Micros | null;
  readonly lastDurationMs: number | null;
  readonly timeouts: number | null;
  readonly failingSince: Micros | null;
  readonly noticedAt: Micros | null;
}

/** One message as it was sent. */
export interface Sent {
  readonly result: DeliveryResult;
  readonly durationMs: number;
}

/** Returns what a message changes of the health of its channel. A target that is sent too much at once is well. */
export function healthAfter(
  { failingSince, timeouts }: ChannelHealth,
  { result, durationMs }: Sent,
  now: Micros,
): Partial<ChannelHealth> {
  const seen = { lastNotifiedAt: now, lastDurationMs: durationMs };
  if (result.ok) {
    const well = { lastError: null, failingSince: null, timeouts: null, noticedAt: null };
    return { ...seen, ...well, lastDeliveredAt: now };
  }
  if (result.retryReason === 'limited') return {};
  return {
    ...seen,
    lastError: result.error,
    failingSince: failingSince ?? now,
    timeouts: result.retryReason === 'timed-out' ? (timeouts ?? 0) + 1 : timeouts,
    ...(result.permanent ? { disabledAt: now } : {}),
  };
}

/** Whether nothing is wrong with a channel, so that a message that arrives changes only its times. */
export function isWell({ failingSince, timeouts, lastError, noticedAt }: ChannelHealth): boolean {
  return failingSince === null && (timeouts ?? 0) === 0 && lastError === null && noticedAt === null;
}

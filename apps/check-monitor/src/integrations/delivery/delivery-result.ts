/**
 * Result of the delivery of a message. `permanent` means that no later one can succeed either, such as to an address
 * that was taken back; the channel is switched off then. `settings` are the new ones, where the target moved.
 */
export type DeliveryResult = { readonly ok: true; readonly settings?: object } | FailedDelivery;

export interface FailedDelivery {
  readonly ok: false;
  readonly error: string;
  readonly permanent: boolean;
  /** Why the same message may arrive later; absent where it never will. */
  readonly retryReason?: RetryReason;
  /** The target takes the next message after that many milliseconds, not before. */
  readonly retryAfterMs?: number;
}

/**
 * `rejected`: the target rejects the message, but may be a proxy during a deployment, so it gets two more calls.
 * `limited`: the target works, but is sent too much. `stopped`: this process ends, and the target has no part in it.
 */
export type RetryReason = 'failed' | 'timed-out' | 'rejected' | 'limited' | 'stopped';

export const delivered: DeliveryResult = { ok: true };

/** A message that did not arrive and never will, though the next one may. */
export function undelivered(error: string): FailedDelivery {
  return { ok: false, error, permanent: false };
}

/** A message that did not arrive, but may later. */
export function failedTemporarily(error: string, retryReason: RetryReason = 'failed'): FailedDelivery {
  return { ...undelivered(error), retryReason };
}

/** A message that was broken off since this process ends. */
export const stoppedDelivery: DeliveryResult = failedTemporarily('the service is stopping', 'stopped');

/** A message that did not go out, as the target takes no more at present. */
export function tooMany(error: string, retryAfterMs: number): FailedDelivery {
  return { ...failedTemporarily(error, 'limited'), retryAfterMs };
}

/** A message that did not arrive, as no other will. */
export function refusedForGood(error: string): FailedDelivery {
  return { ok: false, error, permanent: true };
}

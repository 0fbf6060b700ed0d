/** Why a receiver did not accept a webhook. */
export interface Refusal {
  readonly reason: string;
  /** The time in the receiver's Retry-After. */
  readonly retryAt?: Date | undefined;
  /** The receiver limits its rate or is overloaded (429, 503): Retry-After applies to all events. */
  readonly isOverload?: boolean;
}

/** The reason when the service stops during the call. */
export const stoppedByService: Refusal = { reason: 'the service stops' };

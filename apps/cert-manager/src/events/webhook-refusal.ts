/** Why a webhook was not taken. */
export interface Refusal {
  readonly reason: string;
  /** The moment that the receiver named in Retry-After. */
  readonly retryAt?: Date | undefined;
  /** The receiver limits its rate or is overloaded (429, 503): Retry-After is about all events. */
  readonly isOverload?: boolean;
}

/** Why a webhook was not taken when the service stops. */
export const stopped: Refusal = { reason: 'the service stops' };

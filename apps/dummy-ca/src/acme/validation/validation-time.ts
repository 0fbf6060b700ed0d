/** Time limit of a validation, redirects included. */
export interface ValidationTime {
  /** Aborts at the end. */
  readonly signal: AbortSignal;
  /** Milliseconds until the end, not below 0. */
  readonly msLeft: () => number;
  /** Maximum milliseconds for connecting to an address while others follow. */
  readonly maxConnectMs: number;
}

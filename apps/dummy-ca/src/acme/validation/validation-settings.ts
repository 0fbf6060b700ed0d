import type { ValidationMode } from '@certloop/contracts';

/** How and where challenges are validated. */
export interface ValidationSettings {
  readonly mode: ValidationMode;
  /** Stands for port 80. */
  readonly http01Port: number;
  /** Stands for port 443. */
  readonly tlsAlpn01Port: number;
  /** `host:port` of the resolver that is asked; undefined for the system's. */
  readonly dnsServer: string | undefined;
  /** Address that is connected to whatever the identifier; undefined for its own. */
  readonly resolveTo: string | undefined;
  /** Whether loopback and private addresses may be connected to. */
  readonly allowPrivate: boolean;
  /** Milliseconds for one challenge, redirects included. */
  readonly timeoutMs: number;
  /** Maximum milliseconds for connecting to an address while others of the name follow. */
  readonly maxConnectMs: number;
}

/** Time limit of a validation, redirects included. */
export interface ValidationTime {
  /** Aborts at the end. */
  readonly signal: AbortSignal;
  /** Milliseconds until the end, not below 0. */
  readonly msLeft: () => number;
  /** Maximum milliseconds for connecting to an address while others follow. */
  readonly maxConnectMs: number;
}

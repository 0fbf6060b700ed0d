import type { ClientNames } from '@certloop/contracts';

/** An ACME client as it is stored. */
export interface AcmeClientRow {
  readonly id: string;
  readonly spaceId: string;
  /** No other client of the space has it. */
  readonly name: string;
  /** Identifier of the key (RFC 8555 §7.3.4); no other client's. */
  readonly kid: string;
  readonly hmacKeySealed: string;
  /** Names that it may have, in their normal form; null: those that the policy of the space allows. */
  readonly names: ClientNames | null;
  /** Null: the provider of the FQDN, else the built-in one that issues by orders. */
  readonly providerId: string | null;
  readonly createFqdns: boolean;
  readonly mayTakeOver: boolean;
  /** Ranges in their normal form; empty: from anywhere. */
  readonly allowedCidrs: readonly string[];
  readonly expiresAt: Date | null;
  readonly maxOrdersPerDay: number;
  readonly maxAccounts: number;
  /** The user who created it; the name as it was then. */
  readonly createdById: string;
  readonly createdByName: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly keyChangedAt: Date;
}

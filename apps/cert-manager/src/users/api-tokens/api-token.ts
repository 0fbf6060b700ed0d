import type { TokenScope } from '@certloop/contracts';

export interface ApiTokenRow {
  /** The 8 characters that stand in the token itself. */
  readonly id: string;
  /** SHA-256 of the secret part, hex. */
  readonly secretHash: string;
  readonly userId: string;
  readonly name: string;
  readonly scope: TokenScope;
  readonly spaceIds: readonly string[] | null;
  readonly allowedCidrs: readonly string[];
  readonly expiresAt: Date;
  readonly createdAt: Date;
  /** Behind the truth by up to a minute, as is the address. */
  readonly lastUsedAt: Date | null;
  readonly lastUsedIp: string | null;
  /** Id of the first token of the family; null, as the next three, for a token that has no successors. */
  readonly familyId: string | null;
  readonly predecessorId: string | null;
  /** No token of the family is valid longer. */
  readonly renewableUntil: Date | null;
  /** How long each of them is valid. */
  readonly lifetimeSeconds: number | null;
}

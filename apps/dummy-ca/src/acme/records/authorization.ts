import type { AcmeChallengeType, AcmeProblemDocument } from '@certloop/contracts';
import type { AuthorizedIdentifier } from './challenges.js';

export interface Challenge {
  readonly type: AcmeChallengeType;
  startedAt: Date | undefined;
  endedAt: Date | undefined;
  problem: AcmeProblemDocument | undefined;
  toldAt: Date | undefined;
}

export interface Authorization {
  readonly id: string;
  readonly accountId: string;
  readonly identifier: AuthorizedIdentifier;
  /** One for all challenges: only one of them is ever taken. */
  readonly token: string;
  expires: Date;
  deactivatedAt: Date | undefined;
  readonly challenges: readonly Challenge[];
  /** Made before any order (RFC 8555 §7.4.1), so waiting for one. */
  readonly isPreAuthorization: boolean;
}

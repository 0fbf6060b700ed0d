import type { KeyObject } from 'node:crypto';
import type { AcmeChallengeType, AcmeProblemDocument } from '@certloop/contracts';
import type { PublicJwk } from '@certloop/crypto';
import type { AuthorizedIdentifier } from './challenges.js';
import type { Identifier } from './identifiers.js';

export interface Account {
  readonly id: string;
  jwk: PublicJwk;
  key: KeyObject;
  thumbprint: string;
  contacts: readonly string[];
  termsAgreed: boolean;
  /** The binding as it was sent; undefined without one. */
  readonly externalAccountBinding: object | undefined;
  deactivatedAt: Date | undefined;
}

export interface Challenge {
  readonly type: AcmeChallengeType;
  startedAt: Date | undefined;
  /** When its validation ended, well or not. */
  endedAt: Date | undefined;
  /** Reason of its failure. */
  problem: AcmeProblemDocument | undefined;
  /** From when on clients see the outcome; undefined for at once. */
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

export interface Order {
  readonly id: string;
  readonly accountId: string;
  readonly identifiers: readonly Identifier[];
  readonly authorizationIds: readonly string[];
  readonly expires: Date;
  readonly notBefore: Date | undefined;
  readonly notAfter: Date | undefined;
  readonly profile: string;
  readonly replaces: string | undefined;
  finalizedAt: Date | undefined;
  /** From when on the certificate can be had; undefined while there is none. */
  availableAt: Date | undefined;
  certificateId: string | undefined;
  problem: AcmeProblemDocument | undefined;
}

export interface AcmeCertificate {
  readonly id: string;
  readonly accountId: string;
  readonly leafPem: string;
  readonly der: Buffer;
  readonly identifiers: readonly Identifier[];
  /** Lower-case hex. */
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Identifier in renewalInfo (RFC 9773 §4.1). */
  readonly renewalId: string;
  /** Order that replaces it, as far as that is not invalid. */
  replacedBy: string | undefined;
  /** Window that was set for it instead of the usual one. */
  renewalWindow: RenewalWindow | undefined;
}

export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
}

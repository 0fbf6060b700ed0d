import type { KeyObject } from 'node:crypto';
import type { AcmeChallengeType, AcmeProblemDocument } from '@certloop/contracts';
import type { PublicJwk } from '@certloop/crypto';
import type { AuthorizedIdentifier } from './challenges.js';
import type { Identifier } from './identifiers.js';

// Members that the server needs; the records of an app may have more.

export interface Account {
  readonly id: string;
  readonly jwk: PublicJwk;
  readonly key: KeyObject;
  readonly thumbprint: string;
  readonly contacts: readonly string[];
  readonly termsAgreed: boolean;
  /** The binding as it was sent; undefined without one. */
  readonly externalAccountBinding: object | undefined;
  /** When its holder ended it. */
  readonly deactivatedAt: Date | undefined;
  /** When the server ended it. */
  readonly revokedAt?: Date | undefined;
}

export interface Challenge {
  readonly type: AcmeChallengeType;
  readonly startedAt: Date | undefined;
  /** When its validation ended, well or not. */
  readonly endedAt: Date | undefined;
  /** Reason of its failure. */
  readonly problem: AcmeProblemDocument | undefined;
  /** From when on clients see the outcome; undefined for at once. */
  readonly toldAt: Date | undefined;
}

export interface Authorization {
  readonly id: string;
  readonly accountId: string;
  readonly identifier: AuthorizedIdentifier;
  /** One for all challenges: only one of them is ever taken. */
  readonly token: string;
  readonly expires: Date;
  readonly deactivatedAt: Date | undefined;
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
  readonly notBefore?: Date | undefined;
  readonly notAfter?: Date | undefined;
  readonly profile?: string | undefined;
  readonly replaces: string | undefined;
  readonly finalizedAt: Date | undefined;
  /** From when on the certificate can be had; undefined while there is none. */
  readonly availableAt: Date | undefined;
  readonly certificateId: string | undefined;
  readonly problem: AcmeProblemDocument | undefined;
  /** Seconds that its client is asked to wait; as set for the server when absent. */
  readonly retryAfterSeconds?: number | undefined;
}

export interface AcmeCertificate {
  readonly id: string;
  readonly accountId: string;
  readonly leafPem: string;
  readonly der: Buffer;
  readonly identifiers: readonly Identifier[];
  /** Order that replaces it, as far as that is not invalid. */
  readonly replacedBy: string | undefined;
}

export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
}

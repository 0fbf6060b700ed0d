import type { KeyObject } from 'node:crypto';
import type {
  RenewalWindow,
  Account as ServedAccount,
  Authorization as ServedAuthorization,
  AcmeCertificate as ServedCertificate,
  Challenge as ServedChallenge,
  Order as ServedOrder,
} from '@certloop/acme-server/rules';
import type { AcmeProblemDocument } from '@certloop/contracts';
import type { PublicJwk } from '@certloop/crypto';

// Records in memory, which change in place.

export interface Account extends ServedAccount {
  jwk: PublicJwk;
  key: KeyObject;
  thumbprint: string;
  contacts: readonly string[];
  deactivatedAt: Date | undefined;
}

export interface Challenge extends ServedChallenge {
  startedAt: Date | undefined;
  endedAt: Date | undefined;
  problem: AcmeProblemDocument | undefined;
  toldAt: Date | undefined;
}

export interface Authorization extends ServedAuthorization {
  deactivatedAt: Date | undefined;
  readonly challenges: readonly Challenge[];
}

export interface Order extends ServedOrder {
  readonly notBefore: Date | undefined;
  readonly notAfter: Date | undefined;
  readonly profile: string;
  finalizedAt: Date | undefined;
  availableAt: Date | undefined;
  certificateId: string | undefined;
  problem: AcmeProblemDocument | undefined;
}

export interface AcmeCertificate extends ServedCertificate {
  /** Lower-case hex. */
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Identifier in renewalInfo (RFC 9773 §4.1). */
  readonly renewalId: string;
  replacedBy: string | undefined;
  /** Window that was set for it instead of the usual one. */
  renewalWindow: RenewalWindow | undefined;
}

import type { Identifier } from './identifiers.js';

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

import type { CaIssuerName } from '@certloop/contracts';

/** What must be known of a certificate to say whether it is revoked. */
export interface KnownCertificate {
  /** Lower-case hex without a sign octet. */
  readonly serialNumber: string;
  readonly issuer: CaIssuerName;
  readonly notAfter: Date;
}

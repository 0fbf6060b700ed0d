import type { CaIssuerName } from '@certloop/contracts';
import type { Extension, Issuer } from '@certloop/crypto';

/** An issuer of this authority, by the name under which verifiers find its certificate and its list. */
export interface NamedIssuer {
  readonly name: CaIssuerName;
  readonly issuer: Issuer;
  /** Extensions with the addresses of its list, its responder and its certificate. */
  readonly pointers: readonly Extension[];
}

/** Facts of a certificate that are needed to say whether it is revoked. */
export interface KnownCertificate {
  /** Lower-case hex without a sign octet. */
  readonly serialNumber: string;
  readonly issuer: CaIssuerName;
  readonly notAfter: Date;
}

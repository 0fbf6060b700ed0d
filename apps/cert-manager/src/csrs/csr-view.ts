import type { Csr, CsrFinding, CsrReview } from '@certloop/contracts';
import type { CsrDescription } from '@certloop/crypto';
import type { AskedNames } from '../fqdns/policy/issuance-policy.js';

/** Stored facts about a CSR. */
type StoredDescription = Pick<
  Csr,
  | 'subject'
  | 'publicKeyAlgorithm'
  | 'signatureAlgorithm'
  | 'keySize'
  | 'dnsNames'
  | 'emailAddresses'
  | 'ipAddresses'
  | 'uris'
  | 'extensions'
> & { readonly findings: CsrFinding[] };

interface FqdnOfCsr {
  readonly id: string;
  readonly spaceId: string;
  readonly fqdn: string;
}

/** A CSR with the FQDN that it belongs to, as the API shows it. */
export function csrView(
  csr: {
    readonly id: string;
    readonly csrPem: string;
    readonly description: string;
    readonly createdAt: Date;
  },
  fqdn: FqdnOfCsr,
): Csr {
  const { id, createdAt } = csr;
  return { id, ...contentView(csr, fqdn), createdAt: createdAt.toISOString() };
}

/** A CSR that was checked but not stored, as the API shows it. */
export function csrReviewView(
  csr: { readonly csrPem: string; readonly description: string },
  fqdn: FqdnOfCsr,
  differs: CsrReview['differs'],
): CsrReview {
  return { ...contentView(csr, fqdn), ...(differs !== undefined && { differs }) };
}

function contentView(
  csr: { readonly csrPem: string; readonly description: string },
  fqdn: FqdnOfCsr,
): Omit<CsrReview, 'differs'> {
  const description = parseDescription(csr.description);
  return {
    fqdnId: fqdn.id,
    spaceId: fqdn.spaceId,
    fqdn: fqdn.fqdn,
    csrPem: csr.csrPem,
    subject: description.subject,
    publicKeyAlgorithm: description.publicKeyAlgorithm,
    signatureAlgorithm: description.signatureAlgorithm,
    keySize: description.keySize,
    dnsNames: description.dnsNames,
    emailAddresses: description.emailAddresses,
    ipAddresses: description.ipAddresses,
    uris: description.uris,
    extensions: description.extensions,
    findings: description.findings,
  };
}

/** JSON of the facts and findings of a CSR, for storing; `names` are all names that it requests. */
export function formatDescription(
  csr: CsrDescription,
  names: AskedNames,
  findings: readonly CsrFinding[],
): string {
  const { subject, publicKeyAlgorithm, signatureAlgorithm, keySize } = csr;
  const { dnsNames, emailAddresses, ipAddresses, uris, extensions } = csr;
  const { commonNames, otherNames } = names;
  return JSON.stringify({
    subject,
    publicKeyAlgorithm,
    signatureAlgorithm,
    keySize,
    dnsNames,
    emailAddresses,
    ipAddresses,
    uris,
    extensions,
    findings,
    commonNames,
    otherNames,
  });
}

/**
 * Returns the findings about a CSR at its upload, from its description or from the part of it that has the findings.
 */
export function findingsIn(text: string): readonly CsrFinding[] {
  const parsed = JSON.parse(text) as StoredDescription | readonly CsrFinding[];
  return 'findings' in parsed ? parsed.findings : parsed;
}

function parseDescription(text: string): StoredDescription {
  return JSON.parse(text) as StoredDescription;
}

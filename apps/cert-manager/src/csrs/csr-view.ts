import type { Csr, CsrContent, CsrFinding, CsrReview } from '@certloop/contracts';
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
>;

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
  findings: readonly CsrFinding[],
): Csr {
  const { id, createdAt } = csr;
  return { id, ...contentView(csr, fqdn, findings), createdAt: createdAt.toISOString() };
}

/** A CSR that was checked but not stored, as the API shows it. */
export function csrReviewView(
  csr: { readonly csrPem: string; readonly description: string },
  fqdn: FqdnOfCsr,
  { findings, differs }: Pick<CsrReview, 'differs'> & { readonly findings: readonly CsrFinding[] },
): CsrReview {
  return { ...contentView(csr, fqdn, findings), ...(differs !== undefined && { differs }) };
}

function contentView(
  csr: { readonly csrPem: string; readonly description: string },
  fqdn: FqdnOfCsr,
  findings: readonly CsrFinding[],
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
    findings: [...findings],
  };
}

/**
 * JSON of the facts of a CSR, for storing; `names` are all names that it requests. Its findings are computed when they are
 * read; the previous version, which may run beside this one, reads an empty list.
 */
export function formatDescription(csr: CsrDescription, names: AskedNames): string {
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
    findings: [],
    commonNames,
    otherNames,
  });
}

/** Content of a CSR, as the API shows it. */
export function csrContentView(csr: CsrDescription): CsrContent {
  const { subject, publicKeyAlgorithm, signatureAlgorithm, keySize } = csr;
  return {
    subject,
    publicKeyAlgorithm,
    signatureAlgorithm,
    keySize,
    dnsNames: [...csr.dnsNames],
    emailAddresses: [...csr.emailAddresses],
    ipAddresses: [...csr.ipAddresses],
    uris: [...csr.uris],
    extensions: csr.extensions.map((extension) => ({ ...extension, purposes: [...extension.purposes] })),
  };
}

function parseDescription(text: string): StoredDescription {
  return JSON.parse(text) as StoredDescription;
}

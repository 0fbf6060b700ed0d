import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { leafEndOf } from '../../certificates/in-use.js';
import { certificateFacts } from '../../certificates/store-certificates.service.js';
import { csrNotFound } from '../../csrs/csrs.repository.js';
import { validityWarning } from '../../judging/public-validity.js';
import type { IssuanceSubject } from './find-obstacles.service.js';
import { deleteIssuances, type IssuanceRow } from './issuances.repository.js';
import { createIssuedStore, type IssuedFor, type StoreDeps } from './store-issued.service.js';

/** A CSR that a provider without orders has signed. */
export interface Signed extends IssuedFor, IssuanceSubject {
  readonly csr: IssuanceSubject['csr'];
  /** Ends as the certificate is stored. */
  readonly issuance: Pick<IssuanceRow, 'id' | 'attempt'>;
}

/** A function that stores what was signed; as createIssuedStore does. */
export function createSignedStore(deps: StoreDeps): (signed: Signed) => Promise<CertificateRow> {
  return createIssuedStore<Signed>(deps, {
    csrGone: () => csrNotFound('the CSR was deleted while it was being signed'),
    end: async (tx, all) => {
      await deleteIssuances(
        tx,
        all.map(({ issuance }) => issuance),
      );
    },
    auditOf: (signed, fqdn, row) => signedAudit({ ...signed, fqdn }, row),
    onLost: async (tx, { issuance }) => void (await deleteIssuances(tx, [issuance])),
  });
}

/** The entry of the audit log on a certificate that a call of csr/sign got. */
export function signedAudit(
  subject: IssuanceSubject,
  certificate: CertificateRow,
  details: Readonly<Record<string, unknown>> = {},
) {
  const warning = validityWarning(subject.fqdn.fqdn, { ...certificate, expiresAt: leafEndOf(certificate) });
  const facts = certificateFacts(certificate, subject.provider);
  return signAudit(subject, { ...facts, ...(warning !== undefined && { warning }), ...details });
}

/** What the audit log keeps of a signature, or of its refusal. */
export function signAudit(
  { fqdn, csr }: Pick<IssuanceSubject, 'fqdn' | 'csr'>,
  details: Readonly<Record<string, unknown>>,
) {
  return {
    action: 'csr.sign' as const,
    resourceType: 'csr',
    resourceId: csr.id,
    spaceId: fqdn.spaceId,
    details: { fqdn: fqdn.fqdn, fqdnId: fqdn.id, ...details },
  };
}

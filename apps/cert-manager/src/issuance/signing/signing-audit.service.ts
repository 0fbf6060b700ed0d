import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { leafEndOf } from '../../certificates/in-use.js';
import { certificateFacts } from '../../certificates/store-certificates.service.js';
import { validityWarning } from '../../judging/public-validity.js';
import type { IssuanceSubject } from './find-obstacles.service.js';

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

/** Why a call of csr/sign got no certificate; `joined` is the id of the request that it waited for. */
export interface SigningFailure {
  readonly reason: string;
  readonly code?: string | undefined;
  readonly joined?: string;
}

/** The entry of the audit log on a call of csr/sign that got no certificate. */
export function refusalAudit(subject: IssuanceSubject, { reason, code, ...more }: SigningFailure) {
  const { name: provider, id: providerId } = subject.provider;
  const details = { reason, ...(code !== undefined && { code }), provider, providerId, ...more };
  return { ...signAudit(subject, details), outcome: 'failure' as const };
}

function signAudit({ fqdn, csr }: IssuanceSubject, details: Readonly<Record<string, unknown>>) {
  return {
    action: 'csr.sign' as const,
    resourceType: 'csr',
    resourceId: csr.id,
    spaceId: fqdn.spaceId,
    details: { fqdn: fqdn.fqdn, fqdnId: fqdn.id, ...details },
  };
}

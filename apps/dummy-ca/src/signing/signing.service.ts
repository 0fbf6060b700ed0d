import { randomUUID } from 'node:crypto';
import { NotFound, type SigningRequest } from '@certloop/contracts';
import type { Clock } from '@certloop/server';
import type { CaCounts } from '../authority/ca-counts.service.js';
import type { CertificateAuthority } from '../authority/certificate-authority.service.js';
import type { CertificatesStore, IssuedCertificate } from '../authority/certificates.store.js';
import { daySeconds } from '../authority/issuance-profile.js';
import type { AskedBefore } from './asked-before.store.js';
import { decodeCsrText } from './csr-text.js';

export interface SigningDeps {
  readonly authority: CertificateAuthority;
  readonly certificates: CertificatesStore;
  readonly askedBefore: AskedBefore;
  readonly counts: Pick<CaCounts, 'countIssued'>;
  readonly clock: Clock;
}

/**
 * Certificate for a CSR whose own signature holds; its content is taken as it is. Throws InvalidInput when
 * the text is not one CSR in Base64 of PEM, or its signature is wrong or of a kind that cannot be checked. Under a
 * key that was used before for the same, the certificate is the one that was issued then.
 */
export async function signCsr(
  deps: SigningDeps,
  request: SigningRequest,
  idempotencyKey?: string,
): Promise<IssuedCertificate> {
  const issue = () => issueFor(deps, request);
  return idempotencyKey === undefined ? issue() : deps.askedBefore.answer(idempotencyKey, request, issue);
}

async function issueFor(deps: SigningDeps, request: SigningRequest): Promise<IssuedCertificate> {
  const csrPem = decodeCsrText(request.csr).toString('utf8');
  const now = deps.clock.now();
  const asked = {
    seconds: request.validity_seconds ?? request.validity_days * daySeconds,
    offsetSeconds: request.not_before_offset_seconds,
  };
  const { keyKind, ...signed } = await deps.authority.issue(csrPem, asked, now);
  const issued = { id: randomUUID(), createdAt: now, ...signed };
  deps.certificates.insert(issued);
  deps.counts.countIssued({ way: 'csr', key: keyKind });
  return issued;
}

/** Certificate by its identifier, in any case. Throws NotFound when none was issued or kept under it. */
export function getCertificate({ certificates }: SigningDeps, id: string): IssuedCertificate {
  const certificate = certificates.find(id.toLowerCase());
  if (certificate === undefined) throw new NotFound('no certificate with this identifier');
  return certificate;
}

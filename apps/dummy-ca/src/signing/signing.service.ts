import { randomUUID } from 'node:crypto';
import { type CsrProfile, InvalidInput, NotFound, type SigningRequest } from '@certloop/contracts';
import { csrLabels, parseCsr, parsePem } from '@certloop/crypto';
import type { Clock } from '@certloop/server';
import type { CaCounts } from '../authority/ca-counts.service.js';
import type { CertificateAuthority } from '../authority/certificate-authority.service.js';
import { type CertificateProfile, profileContent } from '../authority/certificate-profile.js';
import type { CertificatesStore, IssuedCertificate } from '../authority/certificates.store.js';
import type { AskedCertificate } from '../authority/csr-issuance.js';
import { daySeconds } from '../authority/issuance-profile.js';
import { lintFault } from './csr-lint.js';
import { decodeCsrText } from './csr-text.js';
import type { IdempotencyStore } from './idempotency.store.js';

export interface SigningDeps {
  readonly authority: CertificateAuthority;
  readonly certificates: CertificatesStore;
  readonly idempotency: IdempotencyStore;
  /** Profiles that a request may name. */
  readonly profiles: readonly CertificateProfile[];
  readonly counts: Pick<CaCounts, 'countIssued'>;
  /** Rules that a CSR must keep; undefined for none. */
  readonly lint: CsrProfile | undefined;
  readonly clock: Clock;
}

/**
 * Certificate for a CSR whose own signature holds; its content is taken as it is. Throws InvalidInput when
 * the text is not one CSR in Base64 of PEM, its signature is wrong or of a kind that cannot be checked, or there is no
 * such profile. Under a key that was used before for the same, the certificate is the one that was issued then.
 */
export async function signCsr(
  deps: SigningDeps,
  request: SigningRequest,
  idempotencyKey?: string,
): Promise<IssuedCertificate> {
  const issue = () => issueFor(deps, request);
  return idempotencyKey === undefined ? issue() : deps.idempotency.answer(idempotencyKey, request, issue);
}

async function issueFor(deps: SigningDeps, request: SigningRequest): Promise<IssuedCertificate> {
  const csrPem = decodeCsrText(request.csr).toString('utf8');
  if (deps.lint !== undefined) requireClean(csrPem, deps.lint);
  const now = deps.clock.now();
  const asked = askedBy(request, deps.profiles);
  const { keyKind, ...signed } = await deps.authority.issue(csrPem, asked, now);
  const issued = { id: randomUUID(), createdAt: now, ...signed };
  deps.certificates.insert(issued);
  deps.counts.countIssued({ way: 'csr', key: keyKind });
  return issued;
}

/** Throws InvalidInput for a text that is not a CSR, and for a CSR with errors. */
function requireClean(csrPem: string, profile: CsrProfile): void {
  const fault = lintFault(parseCsr(parsePem(csrPem, csrLabels)), profile);
  if (fault !== undefined) throw new InvalidInput(`the CSR is refused: ${fault}`, { code: 'csr_refused' });
}

/** Seconds and offset of the request win over those of its profile. Throws InvalidInput that names the profiles. */
function askedBy(request: SigningRequest, profiles: readonly CertificateProfile[]): AskedCertificate {
  const { validity_seconds: seconds, not_before_offset_seconds: offsetSeconds, profile: name } = request;
  if (name === undefined) return { seconds: seconds ?? request.validity_days * daySeconds, offsetSeconds };
  const profile = profiles.find((each) => each.name === name);
  if (profile === undefined) throw unknownProfile(profiles);
  return {
    seconds: seconds ?? profile.validitySeconds,
    offsetSeconds: offsetSeconds ?? profile.notBeforeOffsetSeconds,
    content: profileContent(profile),
  };
}

function unknownProfile(profiles: readonly CertificateProfile[]): InvalidInput {
  const message = `must be one of ${profiles.map(({ name }) => name).join(', ')}`;
  const path = 'profile';
  return new InvalidInput(`${path}: ${message}`, { fields: [{ path, code: 'unknown_profile', message }] });
}

/** Certificate by its identifier, in any case. Throws NotFound when none is stored under it. */
export function getCertificate({ certificates }: SigningDeps, id: string): IssuedCertificate {
  const certificate = certificates.find(id.toLowerCase());
  if (certificate === undefined) throw new NotFound('no certificate with this identifier');
  return certificate;
}

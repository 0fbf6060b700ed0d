import { AcmeProblem, AppError, acmeRequests } from '@certloop/contracts';
import { type Certificate, exportSpki, parseCertificate, publicKeysEqual } from '@certloop/crypto';
import type { AcmeDeps } from './acme-deps.service.js';
import type { AcmeCertificate } from './acme-records.js';
import type { AcmeReply } from './acme-reply.js';
import { authorizedIdentifier } from './authorizations.service.js';
import { authorizationStatus } from './order-status.js';
import { renewalIdOf } from './renewal-window.js';
import { parsePayload, type SignedRequest } from './signed-requests.service.js';

// RFC 5280 §5.3.1, of which a subscriber may give these: unspecified, keyCompromise, affiliationChanged,
// superseded, cessationOfOperation, privilegeWithdrawn.
const allowedReasons: readonly number[] = [0, 1, 3, 4, 5, 9];

/**
 * Revokes a certificate for its account, for one that holds authorizations for all of its identifiers, or for its own
 * key (RFC 8555 §7.6). Throws `badRevocationReason`, `unauthorized`, `alreadyRevoked`, and `malformed` for
 * what is no certificate, with status 404 for one that is not from here.
 */
export async function revokeCertificate(deps: AcmeDeps, request: SignedRequest): Promise<AcmeReply> {
  const asked = parsePayload(acmeRequests.revocationSchema, request.payload);
  const parsed = parse(asked.certificate);
  const certificate = deps.store.findCertificateByRenewalId(renewalIdOf(parsed));
  if (certificate === undefined || !certificate.der.equals(parsed.der)) {
    throw new AcmeProblem('malformed', 'no such certificate', { kind: 'not_found' });
  }
  if (!mayRevoke(deps, request, certificate, parsed)) {
    throw new AcmeProblem('unauthorized', 'neither the account nor the key may revoke the certificate');
  }
  const { reason = 0 } = asked;
  if (!allowedReasons.includes(reason)) {
    const detail = `the reason must be one of ${allowedReasons.join(', ')} (RFC 5280, section 5.3.1)`;
    throw new AcmeProblem('badRevocationReason', detail);
  }
  if (certificate.revocation !== undefined) {
    throw new AcmeProblem('alreadyRevoked', 'the certificate is revoked already');
  }
  certificate.revocation = { at: deps.clock.now(), reason };
  return { status: 200 };
}

function parse(text: string): Certificate {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new AcmeProblem('malformed', 'certificate is not in base64url');
  try {
    return parseCertificate(Buffer.from(text, 'base64url'));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AcmeProblem('malformed', error.message, { cause: error });
  }
}

function mayRevoke(
  { store, clock }: AcmeDeps,
  { account, key }: SignedRequest,
  certificate: AcmeCertificate,
  parsed: Certificate,
): boolean {
  if (account === undefined) return publicKeysEqual(parsed.spkiDer, exportSpki(key));
  if (account.id === certificate.accountId) return true;
  return certificate.identifiers.map(authorizedIdentifier).every((identifier) => {
    const newest = store.findNewestAuthorization(account.id, identifier);
    return newest !== undefined && authorizationStatus(newest, clock.now()) === 'valid';
  });
}

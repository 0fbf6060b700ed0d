import { AcmeProblem, acmeRequests } from '@certloop/contracts';
import {
  type Certificate,
  parseCertificate,
  type RevocationReason,
  revocationReasons,
} from '@certloop/crypto';
import type { AcmePorts, AcmeRecords } from '../ports.js';
import type { AcmeReply } from '../protocol/acme-reply.js';
import { noSuch, orProblem } from '../protocol/problems.js';
import type { SignedRequest } from '../protocol/signed-request.js';
import { parsePayload } from '../protocol/signed-requests.service.js';
import { renewalIdOf } from './renewal-id.js';

// Of RFC 5280 §5.3.1 those that a subscriber may give.
const allowedReasons: readonly RevocationReason[] = [
  'unspecified',
  'keyCompromise',
  'affiliationChanged',
  'superseded',
  'cessationOfOperation',
  'privilegeWithdrawn',
];

/**
 * Revokes a certificate for its account, for another one that may, or for its own key (RFC 8555 §7.6). Throws
 * `badRevocationReason`, `unauthorized`, `alreadyRevoked`, and `malformed` for
 * what is not a certificate, with status 404 for one that is not from here.
 */
export async function revokeAcmeCertificate<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
): Promise<AcmeReply> {
  const asked = parsePayload(acmeRequests.revocationSchema, request.payload);
  const parsed = parse(asked.certificate);
  const certificate = await ports.store.findCertificateByRenewalId(request, renewalIdOf(parsed));
  if (certificate === undefined || !certificate.der.equals(parsed.der)) {
    throw noSuch('certificate');
  }
  if (!(await ports.mayRevoke(request, certificate, parsed))) {
    throw new AcmeProblem('unauthorized', 'neither the account nor the key may revoke the certificate');
  }
  await ports.revoke(request, certificate, requireReason(asked.reason ?? 0));
  return { status: 200 };
}

function requireReason(code: number): RevocationReason {
  const reason = allowedReasons.find((each) => revocationReasons[each] === code);
  if (reason !== undefined) return reason;
  const codes = allowedReasons.map((each) => revocationReasons[each]).join(', ');
  throw new AcmeProblem(
    'badRevocationReason',
    `the reason must be one of ${codes} (RFC 5280, section 5.3.1)`,
  );
}

function parse(text: string): Certificate {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new AcmeProblem('malformed', 'certificate is not in base64url');
  return orProblem('malformed', () => parseCertificate(Buffer.from(text, 'base64url')));
}

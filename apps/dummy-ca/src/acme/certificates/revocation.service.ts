import { type AcmeReply, parsePayload } from '@certloop/acme-server';
import { authorizationStatus, noSuch, orProblem, renewalIdOf } from '@certloop/acme-server/rules';
import { AcmeProblem, acmeRequests } from '@certloop/contracts';
import {
  type Certificate,
  exportSpki,
  parseCertificate,
  publicKeysEqual,
  type RevocationReason,
  revocationReasons,
  spkiSha256,
} from '@certloop/crypto';
import type { AcmeDeps, AcmeRequest } from '../acme-deps.service.js';
import { authorizedIdentifier } from '../authorizations/authorizations.service.js';
import type { AcmeCertificate } from '../records/records.js';

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
 * Revokes a certificate for its account, for one that holds authorizations for all of its identifiers, or for its own
 * key (RFC 8555 §7.6). Throws `badRevocationReason`, `unauthorized`, `alreadyRevoked`, and `malformed` for
 * what is not a certificate, with status 404 for one that is not from here.
 */
export async function revokeAcmeCertificate(deps: AcmeDeps, request: AcmeRequest): Promise<AcmeReply> {
  const asked = parsePayload(acmeRequests.revocationSchema, request.payload);
  const parsed = parse(asked.certificate);
  const certificate = deps.store.findCertificateByRenewalId(renewalIdOf(parsed));
  if (certificate === undefined || !certificate.der.equals(parsed.der)) {
    throw noSuch('certificate');
  }
  if (!mayRevoke(deps, request, certificate, parsed)) {
    throw new AcmeProblem('unauthorized', 'neither the account nor the key may revoke the certificate');
  }
  const reason = requireReason(asked.reason ?? 0);
  const { revocations } = deps.status;
  if (revocations.find(certificate.serialNumber) !== undefined) {
    throw new AcmeProblem('alreadyRevoked', 'the certificate is already revoked');
  }
  const { serialNumber, notAfter } = certificate;
  revocations.insert({ serialNumber, issuer: deps.issuer.name, notAfter }, deps.clock.now(), reason);
  // RFC 8555 §7.6: a request signed by the key itself proves that its sender holds it
  if (request.account === undefined && reason === 'keyCompromise') {
    deps.store.noteCompromised(spkiSha256(parsed.spkiDer));
  }
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

function mayRevoke(
  { store, clock }: AcmeDeps,
  { account, key }: AcmeRequest,
  certificate: AcmeCertificate,
  parsed: Certificate,
): boolean {
  if (account === undefined) return publicKeysEqual(parsed.spkiDer, exportSpki(key));
  if (account.id === certificate.accountId) return true;
  return certificate.identifiers.map(authorizedIdentifier).every((identifier) => {
    const proven = store.findProvenAuthorization(account.id, identifier);
    return proven !== undefined && authorizationStatus(proven, clock.now()) === 'valid';
  });
}

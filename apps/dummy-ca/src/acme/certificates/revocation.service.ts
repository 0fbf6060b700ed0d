import { authorizationStatus, authorizedIdentifier } from '@certloop/acme-server/rules';
import { AcmeProblem } from '@certloop/contracts';
import {
  type Certificate,
  exportSpki,
  parseCertificate,
  publicKeysEqual,
  type RevocationReason,
  spkiSha256,
} from '@certloop/crypto';
import type { AcmeDeps, AcmeRequest } from '../acme-deps.service.js';
import type { AcmeCertificate } from '../records/records.js';

/** Whether the signer is its account, one that holds authorizations for all of its identifiers, or its own key. */
export function mayRevokeCertificate(
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

/** Throws `alreadyRevoked`. */
export function revokeOnRequest(
  { store, status: { revocations }, issuer, clock }: AcmeDeps,
  { account }: AcmeRequest,
  { der, serialNumber, notAfter }: AcmeCertificate,
  reason: RevocationReason,
): void {
  if (revocations.find(serialNumber) !== undefined) {
    throw new AcmeProblem('alreadyRevoked', 'the certificate is already revoked');
  }
  revocations.insert({ serialNumber, issuer: issuer.name, notAfter }, clock.now(), reason);
  // RFC 8555 §7.6: a request signed by the key itself proves that its sender holds it
  if (account === undefined && reason === 'keyCompromise') {
    store.noteCompromised(spkiSha256(parseCertificate(der).spkiDer));
  }
}

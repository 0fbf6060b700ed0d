import { type CertificateStatus, Conflict, NotFound } from '@certloop/contracts';
import type { RevocationReason } from '@certloop/crypto';
import type { KnownCertificate } from '../authority/named-issuer.js';
import { certificateStatusView } from './certificate-status-view.js';
import { findKnown, type StatusDeps } from './status-deps.service.js';

/** Status of a certificate by the hex of its serial number. Throws NotFound for one that is not known. */
export function showStatus(deps: StatusDeps, serialNumber: string): CertificateStatus {
  return certificateStatusView(getKnown(deps, serialNumber), deps.revocations.find(serialNumber));
}

/** Revokes a certificate. Throws NotFound for one that is not known, Conflict for one that is revoked. */
export function revokeCertificate(
  deps: StatusDeps,
  serialNumber: string,
  reason: RevocationReason,
): CertificateStatus {
  const known = getKnown(deps, serialNumber);
  if (deps.revocations.find(serialNumber) !== undefined) {
    throw new Conflict('the certificate is already revoked');
  }
  return certificateStatusView(known, deps.revocations.insert(known, deps.clock.now(), reason));
}

/**
 * Makes a certificate on hold good again (RFC 5280 §5.3.1). Throws NotFound when it is not revoked, Conflict when it is
 * revoked permanently.
 */
export function liftHold({ revocations }: StatusDeps, serialNumber: string): void {
  const revocation = revocations.find(serialNumber);
  if (revocation === undefined) throw new NotFound('no revoked certificate has this serial number');
  if (revocation.reason !== 'certificateHold') {
    throw new Conflict(`the certificate is permanently revoked (${revocation.reason})`);
  }
  revocations.delete(serialNumber);
}

function getKnown(deps: StatusDeps, serialNumber: string): KnownCertificate {
  const known = findKnown(deps, serialNumber);
  if (known === undefined) throw new NotFound('no certificate with this serial number is stored');
  return known;
}

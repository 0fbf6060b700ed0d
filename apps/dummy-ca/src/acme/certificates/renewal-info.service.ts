import type { RenewalInfo } from '@certloop/acme-server';
import { noSuch, type RenewalWindow, requireRenewalId } from '@certloop/acme-server/rules';
import type { AcmeDeps } from '../acme-deps.service.js';
import type { AcmeCertificate } from '../records/records.js';
import { suggestedWindow } from './renewal-window.js';

/** When to renew the certificate; undefined for an unknown one. */
export function findRenewalInfo(
  { store, status, settings }: AcmeDeps,
  renewalId: string,
): RenewalInfo | undefined {
  const certificate = store.findCertificateByRenewalId(renewalId);
  if (certificate === undefined) return undefined;
  const revocation = status.revocations.find(certificate.serialNumber);
  return {
    window: certificate.renewalWindow ?? suggestedWindow(certificate, revocation?.revokedAt),
    retryAfterSeconds: settings.renewalInfoSeconds,
  };
}

/** Moves the window of a certificate; undefined gives it the usual one back. Throws `malformed` without a certificate. */
export function setRenewalWindow(deps: AcmeDeps, certId: string, window: RenewalWindow | undefined): void {
  getByRenewalId(deps, certId).renewalWindow = window;
}

/** Throws `malformed` for another form, and with status 404 when no certificate is stored under it. */
function getByRenewalId({ store }: Pick<AcmeDeps, 'store'>, certId: string): AcmeCertificate {
  const certificate = store.findCertificateByRenewalId(requireRenewalId(certId));
  if (certificate !== undefined) return certificate;
  throw noSuch('certificate');
}

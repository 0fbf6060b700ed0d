import { type AcmeReply, ok } from '@certloop/acme-server';
import { noSuch, type RenewalWindow, requireRenewalId } from '@certloop/acme-server/rules';
import type { AcmeRenewalInfo } from '@certloop/contracts';
import type { AcmeDeps } from '../acme-deps.service.js';
import type { AcmeCertificate } from '../records/records.js';
import { suggestedWindow } from './renewal-window.js';

/** When to renew the certificate (RFC 9773 §4.2). Throws `malformed`, with status 404 for an unknown one. */
export async function showRenewalInfo(deps: AcmeDeps, certId: string): Promise<AcmeReply> {
  const certificate = getByRenewalId(deps, certId);
  const revocation = deps.status.revocations.find(certificate.serialNumber);
  const { start, end } = certificate.renewalWindow ?? suggestedWindow(certificate, revocation?.revokedAt);
  const view: AcmeRenewalInfo = {
    suggestedWindow: { start: start.toISOString(), end: end.toISOString() },
  };
  return ok(view, { retryAfterSeconds: deps.settings.renewalInfoSeconds });
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

import type { AcmeDeps } from '../acme-deps.service.js';
import type { RenewalWindow } from '../acme-records.js';
import { getByRenewalId } from '../renewal-info.service.js';

/** Moves the window of a certificate; undefined gives it the usual one back. Throws `malformed` without a certificate. */
export function setRenewalWindow(deps: AcmeDeps, certId: string, window: RenewalWindow | undefined): void {
  getByRenewalId(deps, certId).renewalWindow = window;
}

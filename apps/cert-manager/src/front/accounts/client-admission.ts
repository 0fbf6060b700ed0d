import type { AcmeClientRow } from '../../acme-clients/acme-client.js';
import { isUsableFrom } from '../../acme-clients/client-settings.js';

/** Why a request of a client is not served; undefined if it is. */
export function admissionFault(
  client: Pick<AcmeClientRow, 'allowedCidrs' | 'expiresAt'>,
  ipAddress: string,
  now: Date,
): string | undefined {
  if (isUsableFrom(client, ipAddress, now)) return undefined;
  if (client.expiresAt !== null && client.expiresAt <= now) return 'this ACME client has expired';
  return `this ACME client may not be used from ${ipAddress}`;
}

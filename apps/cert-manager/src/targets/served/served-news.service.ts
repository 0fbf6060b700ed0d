import type { Tx } from '@certloop/db';
import type { NoticeDeps } from '../../events/notices.service.js';
import type { InService, JudgedTargets } from '../probes/settle-observed.service.js';

/** Records that servers do not serve what they should, when this begins. */
export async function recordDriftNotice(
  tx: Tx,
  { fqdn: { id: fqdnId, spaceId, fqdn, fault: before }, fault }: JudgedTargets,
  { clock, notices }: NoticeDeps,
): Promise<void> {
  if (fault === null || before !== null) return;
  const message = `${fqdn} is not served as it should be. ${fault.replaceAll('\n', ' ')}`;
  await notices?.record(tx, {
    type: 'served.drifted',
    subject: fqdnId,
    spaceId,
    // once a day: a server between two states would be news at each probe
    onceKey: `served.drifted:${fqdnId}:${clock.now().toISOString().slice(0, 10)}`,
    data: { message, fqdn, fqdnId, spaceId },
  });
}

/** Records that the newest certificate is served at all addresses. */
export async function recordInServiceNotice(
  tx: Tx,
  { fqdn: { id: fqdnId, spaceId, fqdn }, certificate, seconds, addresses }: InService,
  { notices }: NoticeDeps,
): Promise<void> {
  const { id: certificateId, serialNumber, expiresAt } = certificate;
  const message = `All addresses of the targets of ${fqdn} serve certificate ${serialNumber}.`;
  await notices?.record(tx, {
    type: 'served.in_service',
    subject: fqdnId,
    spaceId,
    onceKey: `served.in_service:${certificateId}`,
    data: {
      message,
      fqdn,
      fqdnId,
      spaceId,
      certificateId,
      serialNumber,
      addresses,
      expiresAt: expiresAt.toISOString(),
      secondsToInService: Math.round(seconds),
    },
  });
}

import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { StoredCertificate } from '../../certificates/store-certificates.service.js';
import type { Changes } from '../../fqdns/fqdns.service.js';
import { firstProbeAt } from '../probes/probe-schedule.js';
import { probeSooner } from '../target-claims.repository.js';

/** Has the targets of FQDNs probed a minute after a certificate was stored. */
export async function scheduleProbes(
  tx: Tx,
  { changes }: Changes<StoredCertificate>,
  { clock }: { readonly clock: Clock },
): Promise<void> {
  const ids = changes.map(({ fqdn }) => fqdn.id);
  await probeSooner(tx, ids, firstProbeAt(clock.now()));
}

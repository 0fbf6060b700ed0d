import type { Tx } from '@certloop/db';
import { usableUntil } from '../../certificates/in-use.js';
import { type FqdnRow, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { readOutlook } from '../outlook/read-outlook.service.js';
import { scheduleOf } from '../outlook/renewal-outlook.js';
import { mayHaveCertificate } from '../renewal-entry.js';
import { findOpenRenewal, updateRenewal } from '../renewals.repository.js';
import { dueAfterWrongClock, waitsTooLong } from './planned-bounds.js';
import { listWaitingEntries } from './waiting-entries.repository.js';

/** Returns the FQDNs whose planned renewal waits longer than the rules allow, as a wrong clock planned it. */
export async function listTooLate(tx: Tx, fqdns: readonly FqdnRow[], now: Date): Promise<FqdnRow[]> {
  const ids = fqdns.map(({ id }) => id);
  const waiting = await listWaitingEntries(tx, ids);
  const late = new Set(waiting.filter((entry) => waitsTooLong(entry, now)).map(({ fqdnId }) => fqdnId));
  return fqdns.filter(({ id }) => late.has(id));
}

/**
 * Plans a renewal anew that waits too long: by the plan of its certificate, or soon, if that has passed or the CA may have
 * issued a certificate. False if it does not wait too long any more.
 */
export async function pullBackRenewal(tx: Tx, { id, spaceId }: FqdnRow, now: Date): Promise<boolean> {
  const fqdn = await lockFqdn(tx, spaceId, id);
  const open = await findOpenRenewal(tx, id);
  if (open === undefined || (await listTooLate(tx, [fqdn], now)).length === 0) return false;
  const { certificate, outlook } = await readOutlook(tx, fqdn, { open });
  const soon = dueAfterWrongClock(certificate ? usableUntil(certificate) : now, now, Math.random());
  const planned = outlook.isPlanned ? scheduleOf(outlook.plan, now) : now;
  const isAnew = planned > now && !mayHaveCertificate(open.journal);
  const createdAt = open.createdAt > now ? now : open.createdAt;
  const change = isAnew ? { scheduledAt: planned, attempt: 1 } : { scheduledAt: soon };
  return updateRenewal(tx, open, { ...change, createdAt });
}

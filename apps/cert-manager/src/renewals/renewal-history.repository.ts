import { executeSql, type Tx } from '@certloop/db';
import { MoreThan } from 'typeorm';
import { type RenewalRow, renewalQueue } from './renewals.repository.js';

/** The entry of an FQDN that was made last, without tests. */
export async function findLatestRenewal(tx: Tx, fqdnId: string): Promise<RenewalRow | undefined> {
  const [row] = await tx.find(renewalQueue, {
    where: { fqdnId, isTest: false },
    order: { createdAt: 'DESC', id: 'DESC' },
    take: 1,
  });
  return row;
}

/** Whether a certificate was brought by a renewal that was planned. */
export function cameOfRenewal(
  tx: Tx,
  { fqdnId, createdAt }: { readonly fqdnId: string; readonly createdAt: Date },
): Promise<boolean> {
  // one transaction ends the entry and stores the certificate, at the same moment
  return tx.existsBy(renewalQueue, { fqdnId, status: 'completed', finishedAt: createdAt, isTest: false });
}

/** How many renewals of the FQDN ended well after `since`, without tests. */
export function countRenewalsSince(tx: Tx, fqdnId: string, since: Date): Promise<number> {
  return tx.countBy(renewalQueue, {
    fqdnId,
    status: 'completed',
    isTest: false,
    finishedAt: MoreThan(since),
  });
}

/** Deletes at most `limit` final entries that are older than `before`; how many there were. */
export function deleteOldRenewals(tx: Tx, before: Date, limit: number): Promise<number> {
  return executeSql(
    tx,
    `delete from renewal_queue where id in (
       select id from renewal_queue
       where status in ('completed', 'failed') and scheduled_at < $1 and finished_at < $1 limit ${limit})`,
    [before],
  );
}

import type { Tx } from '@certloop/db';
import { isCsrSent } from '../../acme/orders/order-record.js';
import type { DeletedScope } from '../../fqdns/fqdns.service.js';
import { deleteQueuedOf } from '../clients/client-issuances.repository.js';
import type { IssuanceRow } from '../signing/issuances.repository.js';
import { deleteJobsOf } from './issuance-jobs.repository.js';

// a running job blocks other requests for its FQDN, so one that crashes its workers fails after this many attempts
const maxAttempts = 10;

// the pauses of a failed job whose CSR was sent double up to an hour, so these are a day and a half
const maxAttemptsAfterFailure = 40;

/** Whether a claimed job ends as failed, as its workers did not get to its end. */
export function isInterruptedOften({ attempt, finishedAt, isOrder, cause, state }: IssuanceRow): boolean {
  if (!isOrder) return cause === 'client' && state === 'running' && attempt > maxAttempts;
  return attempt > (finishedAt === null ? maxAttempts : maxAttemptsAfterFailure);
}

/** Deletes the jobs of deleted FQDNs, except those whose CA may have issued: the audit log gets an entry on each of these. */
export async function removeJobs(tx: Tx, { scope }: { readonly scope: DeletedScope }): Promise<void> {
  await deleteQueuedOf(tx, scope);
  await deleteJobsOf(tx, scope, ({ orderState }) => isCsrSent(orderState));
}

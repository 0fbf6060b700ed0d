import { Conflict } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { recordAudit } from '../../audit/audit.service.js';
import { type IssuanceRow, updateIssuance } from '../signing/issuances.repository.js';
import type { RequestDeps } from './begin-job.service.js';
import { lockJob } from './issuance-jobs.repository.js';
import { getReadableJob, jobNotFound } from './issuance-jobs.service.js';
import { failUnderWay } from './request-plan.js';

/**
 * Ends a job whose CSR was not sent to the CA. Its order is forgotten and expires at the CA, so the next request places a
 * new one. If a worker has the job, its next write throws OrderAbandoned: it stops and removes the proofs. Throws
 * NotFound, Forbidden, and Conflict if the CSR was sent or the job has ended.
 */
export async function cancelJob(
  { db, clock }: Pick<RequestDeps, 'db' | 'clock'>,
  caller: Caller,
  id: string,
): Promise<IssuanceRow> {
  return db.transaction(async (tx) => {
    const { spaceId, fqdnId } = await getReadableJob(tx, caller, id);
    requireLevel(caller, spaceId, 'READ_WRITE');
    // a worker stores that it sends the CSR before it does: either this sees it, or the worker sees the end
    const job = await lockJob(tx, id);
    if (job === undefined) throw jobNotFound();
    requireCancellable(job);
    const now = clock.now();
    const message = `cancelled by ${caller.username}`;
    const error = { code: 'job_cancelled', message, retryable: true };
    const change = {
      state: 'failed' as const,
      code: error.code,
      message,
      steps: failUnderWay(job.steps, error, now),
      orderState: null,
      orderUrl: null,
      leaseUntil: null,
      nextAt: null,
      finishedAt: now,
    };
    await updateIssuance(tx, job, change);
    const entry = {
      action: 'certificate.request.cancel',
      resourceType: 'fqdn',
      resourceId: fqdnId,
      spaceId,
      details: { jobId: id, fqdnId, csrId: job.csrId, providerId: job.providerId },
    } as const;
    await recordAudit(tx, caller, entry, now);
    return { ...job, ...change };
  });
}

function requireCancellable({ state, orderState }: IssuanceRow): void {
  if (state !== 'queued' && state !== 'running' && state !== 'waiting')
    throw new Conflict('the request has ended: only a running or waiting request can be cancelled', {
      code: 'job_ended',
    });
  if (isCsrSent(orderState))
    throw new Conflict(
      'the CSR was sent to the CA, which may issue the certificate: wait for the end of the request, then revoke the certificate if you do not want it',
      { code: 'job_csr_sent' },
    );
}

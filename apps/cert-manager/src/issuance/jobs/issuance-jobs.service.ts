import { Conflict, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { canOn, requireLevel } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { changeOfIssuance } from '../signing/issuance-state.js';
import { type IssuanceRow, updateIssuance } from '../signing/issuances.repository.js';
import type { RequestDeps } from './begin-job.service.js';
import { findJob } from './issuance-jobs.repository.js';
import { findCertificateOf } from './request-certificate.service.js';

/** A job with the certificate that came of it. */
export interface JobWithCertificate {
  readonly job: IssuanceRow;
  readonly certificate: CertificateRow | undefined;
}

/** Throws NotFound also when the caller may not see the space. */
export async function showJob(
  { db }: Pick<RequestDeps, 'db'>,
  caller: Caller,
  id: string,
): Promise<JobWithCertificate> {
  return db.read(async (tx) => {
    const job = await getReadableJob(tx, caller, id);
    return { job, certificate: await findCertificateOf(tx, job) };
  });
}

/**
 * Goes on with a job that waits for someone to publish a proof. Throws NotFound, Forbidden, and Conflict for one
 * that does not wait.
 */
export async function continueJob(deps: RequestDeps, caller: Caller, id: string): Promise<IssuanceRow> {
  const job = await deps.db.transaction(async (tx) => {
    const waiting = await getReadableJob(tx, caller, id);
    requireLevel(caller, waiting.spaceId, 'READ_WRITE');
    const now = deps.clock.now();
    const queued = changeOfIssuance(waiting, { kind: 'queue', now }, deps.runner);
    const change = { ...queued, isConfirmed: true, message: 'in progress' };
    const isMine = waiting.state === 'waiting' && (await updateIssuance(tx, waiting, change));
    if (!isMine)
      throw new Conflict('the request is not waiting: only a request with status waiting can be continued', {
        code: 'job_not_waiting',
      });
    const { fqdnId: resourceId, spaceId } = waiting;
    const details = { jobId: id, continued: true };
    const entry = {
      action: 'certificate.request',
      resourceType: 'fqdn',
      resourceId,
      spaceId,
      details,
    } as const;
    await recordAudit(tx, caller, entry, now);
    return { ...waiting, ...change };
  });
  await deps.runner.begin(job);
  return job;
}

/** Throws NotFound also when the caller may not see the space. */
export async function getReadableJob(tx: Tx, caller: Caller, id: string): Promise<IssuanceRow> {
  const job = await findJob(tx, id);
  if (job !== undefined && canOn(caller, job.spaceId, 'READ')) return job;
  throw jobNotFound();
}

export function jobNotFound(): NotFound {
  return new NotFound('issuance job not found', { code: 'job_not_found', title: 'Issuance job not found' });
}

import type { SignReply } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { beginJob, type RequestDeps, type Requested } from '../jobs/begin-job.service.js';
import type { IssuanceJobRow } from '../jobs/issuance-jobs.repository.js';
import { awaitJob } from '../jobs/request-certificate.service.js';

/** Answer of signing, and the job that goes on when it is not over yet. */
export interface SignedByOrder {
  readonly reply: SignReply;
  readonly unfinished?: IssuanceJobRow;
}

/** Has a CSR signed by an order with a CA, as a request that is confirmed already, and waits at most so long for it. */
export async function signByOrder(
  deps: RequestDeps,
  caller: Caller,
  order: Omit<Requested, 'isConfirmed' | 'kind'>,
  waitSeconds: number,
): Promise<SignedByOrder> {
  const begun = await beginJob(deps, caller, { ...order, isConfirmed: true, kind: 'sign' });
  if (begun.kind !== 'job') {
    const message = begun.kind === 'refused' ? begun.message : 'a valid certificate exists';
    return { reply: { success: false, message } };
  }
  const { job, certificate } = await awaitJob(deps, begun.job, waitSeconds * 1_000);
  const { status, message } = job;
  if (status === 'running' || status === 'waiting') {
    return { reply: { success: false, message }, unfinished: job };
  }
  if (certificate === undefined) return { reply: { success: false, message } };
  return { reply: { success: true, message, certificate: certificate.pem } };
}

import type { SignReply } from '@certloop/contracts';
import { beginJob, type RequestDeps } from '../jobs/begin-job.service.js';
import { awaitJob } from '../jobs/request-certificate.service.js';
import type { SigningCall } from './begin-signing.service.js';
import type { IssuanceSubject } from './find-obstacles.service.js';
import { isSame, jobStatuses } from './issuance-state.js';
import type { IssuanceRow } from './issuances.repository.js';
import { recordJoined, shareCertificate, stillRunning } from './join-signing.service.js';
import type { SigningWork } from './signing-work.service.js';

/** Answer of signing, and the job that goes on when it is not over yet. */
export interface SignedByOrder {
  readonly reply: SignReply;
  readonly unfinished?: IssuanceRow;
}

/**
 * Has a CSR signed by an order with a CA, as a request that is confirmed already, and waits at most `ms` for it. If its FQDN
 * has an open job for the same CSR and provider, or one that waits for a person, the call attaches to that; `again` if it
 * has waited for the end of another one, and is to be decided anew.
 */
export async function signByOrder(
  deps: RequestDeps & { readonly signing: SigningWork },
  { caller }: Pick<SigningCall, 'caller'>,
  subject: IssuanceSubject,
  ms: number,
): Promise<SignedByOrder | 'again'> {
  const begun = await beginJob(deps, caller, { ...subject, isConfirmed: true, cause: 'sign' });
  if (begun.kind !== 'job') {
    const message = begun.kind === 'refused' ? begun.message : 'a valid certificate exists';
    return { reply: { success: false, message } };
  }
  const { isNew } = begun;
  const isJoined = !isNew && isSame(begun.job, { csrId: subject.csr.id, providerId: subject.provider.id });
  const waitsForPerson = begun.job.state === 'waiting';
  if (!isNew) deps.signing.noteWaiting(begun.job, isJoined);
  const { job, certificate } = await awaitJob(deps, begun.job, ms);
  const { message, code } = job;
  const isOpen = jobStatuses[job.state] === 'running' || job.state === 'waiting';
  if (isOpen) {
    const isOther = !isNew && !isJoined && !waitsForPerson;
    return { reply: { success: false, message: isOther ? stillRunning : message }, unfinished: job };
  }
  if (!isNew && !isJoined) return 'again';
  if (isJoined) {
    const joined = { deps, caller, subject, running: job };
    if (certificate === undefined)
      await recordJoined(joined, { reason: message, ...(code !== null && { code }), joined: job.id });
    else if ((await shareCertificate(joined, certificate)) === undefined) return 'again';
  }
  if (certificate === undefined) return { reply: { success: false, message } };
  return { reply: { success: true, message, certificate: certificate.pem } };
}

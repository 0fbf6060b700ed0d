import type { InvalidInput, SignReply } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import { leafEndOf } from '../../certificates/in-use.js';
import { validityWarning } from '../../judging/public-validity.js';
import { beginJob, type RequestDeps } from '../jobs/begin-job.service.js';
import { awaitJob } from '../jobs/request-certificate.service.js';
import type { SigningCall } from './begin-signing.service.js';
import type { IssuanceSubject } from './find-obstacles.service.js';
import { isSame, jobStatuses } from './issuance-state.js';
import type { IssuanceRow } from './issuances.repository.js';
import { joinSigning, recordJoined, shareCertificate, stillRunning } from './join-signing.service.js';
import { refusalAudit } from './signing-audit.service.js';
import type { SigningEnd, SigningWork } from './signing-work.service.js';

export interface SignDeps extends RequestDeps {
  readonly signing: SigningWork;
}

interface SignInput extends Omit<SigningCall, 'caller'> {
  /** How long an order with a CA, or another call for the FQDN, is waited for. */
  readonly waitSeconds: number;
}

/**
 * The use case `csr/sign`: has the newest CSR of an FQDN signed and stores the certificate. A call with the same CSR and
 * provider as a running one joins it and returns its certificate; another one waits for its end and is decided anew. An
 * order with a CA that takes longer than `waitSeconds` goes on after the response, and so does a call that was waited for.
 * If the provider refuses or fails, the result is `success: false` with its reason and nothing is stored; a certificate that
 * the CA issued without an answer is stored later. Throws NotFound if the space, the FQDN, a CSR or the provider is missing,
 * also if it was deleted while the provider was at work. Throws InvalidInput if the provider is disabled or lacks a part of
 * its configuration, the CSR has a weak RSA key, the policy of the space does not allow a name or the provider, or another
 * space holds a name. If the provider signed for a call that died, the idempotency key makes it return that certificate.
 */
export async function signCsr(
  deps: SignDeps,
  caller: Caller,
  { waitSeconds, ...place }: SignInput,
): Promise<SignedByOrder> {
  requireLevel(caller, place.spaceId, 'READ_WRITE');
  const deadline = performance.now() + waitSeconds * 1000;
  return signDecided(deps, { caller, ...place }, deadline);
}

async function signDecided(deps: SignDeps, call: SigningCall, deadline: number): Promise<SignedByOrder> {
  const { signing } = deps;
  const { caller } = call;
  const { subject, ...decision } = await signing.decide(call);
  if (decision.kind === 'refused') return refuse(deps, caller, subject, decision.refusal);
  const ms = deadline - performance.now();
  if (decision.kind === 'order') {
    const end = await signByOrder(deps, call, subject, ms);
    return end === 'again' ? signDecided(deps, call, deadline) : end;
  }
  const end =
    decision.kind === 'begun'
      ? await signing.run(caller, subject, decision.issuance)
      : await joinSigning(signing, call, { subject, ...decision }, ms);
  // the CA gave what another call had stored and revoked by now: as the newest one, it makes this a new request
  if (end === 'again' || (end.kind === 'issued' && end.certificate.revokedAt !== null)) {
    return signDecided(deps, call, deadline);
  }
  const unfinished = end.kind === 'failed' ? end.unfinished : undefined;
  return { reply: replyOf(subject, end), ...(unfinished && { unfinished }) };
}

/** Throws the refusal, which is audited before. */
async function refuse(
  deps: SignDeps,
  caller: Caller,
  subject: IssuanceSubject,
  refusal: InvalidInput,
): Promise<never> {
  const { message: reason, code } = refusal;
  const { db, clock, emit } = deps.signing.deps;
  await db.transaction(async (tx) => {
    await recordAudit(tx, caller, refusalAudit(subject, { reason, code }), clock.now());
    await emit.issuanceFailed(tx, { fqdn: subject.fqdn, reason });
  });
  throw refusal;
}

function replyOf(subject: IssuanceSubject, end: SigningEnd): SignReply {
  if (end.kind === 'failed') return { success: false, message: end.message };
  return { success: true, message: messageOf(subject, end), certificate: end.certificate.pem };
}

function messageOf(
  { fqdn, provider }: IssuanceSubject,
  { certificate, finding }: Extract<SigningEnd, { readonly kind: 'issued' }>,
): string {
  const warning = validityWarning(fqdn.fqdn, { ...certificate, expiresAt: leafEndOf(certificate) });
  const signed = `signed by ${provider.name}, valid until ${certificate.expiresAt.toISOString()}`;
  return [
    signed,
    ...(warning === undefined ? [] : [`it ${warning}`]),
    ...(finding === undefined ? [] : [finding]),
  ].join('; ');
}

/** Answer of signing, and the job that goes on when it is not over yet. */
interface SignedByOrder {
  readonly reply: SignReply;
  readonly unfinished?: IssuanceRow;
}

/**
 * Has a CSR signed by an order with a CA, as a request that is confirmed already, and waits at most `ms` for it. If its FQDN
 * has an open job for the same CSR and provider, or one that waits for a person, the call attaches to that; `again` if it
 * has waited for the end of another one, and is to be decided anew.
 */
async function signByOrder(
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

import { AppError } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { recordAudit } from '../../audit/audit.service.js';
import { type CertificateRow, findCertificate } from '../../certificates/certificates.repository.js';
import { listLastCertificates } from '../../certificates/newest-certificates.repository.js';
import type { DbDeps } from '../../db-deps.js';
import type { SigningCall, SigningDecision } from './begin-signing.service.js';
import type { IssuanceSubject } from './find-obstacles.service.js';
import { isSame } from './issuance-state.js';
import type { IssuanceRow } from './issuances.repository.js';
import { refusalAudit, type SigningFailure, signedAudit } from './signing-audit.service.js';
import type { SigningEnd, SigningWork } from './signing-work.service.js';

type Busy = Extract<SigningDecision, { readonly kind: 'busy' }>;

/** How a call ended that waited for another one; `again` if it is to be decided anew. */
export type JoinedEnd = SigningEnd | 'again';

/**
 * Waits at most `ms` for the issuance that an FQDN has already. If that is for the same CSR and provider, its end is that of
 * the call, which gets an audit entry of its own; otherwise the call is decided anew. Rejects as the running one does.
 */
export async function joinSigning(
  work: SigningWork,
  call: SigningCall,
  { subject, running, newestId }: Busy,
  ms: number,
): Promise<JoinedEnd> {
  if (running === undefined) return 'again';
  const isJoined = isSame(running, { csrId: subject.csr.id, providerId: subject.provider.id });
  const joined = { deps: work.deps, caller: call.caller, subject, running };
  work.noteWaiting(running, isJoined);
  const end = await work.endOf(running, ms).catch((error: unknown) => failJoined(joined, isJoined, error));
  if (end === 'limit') return endAtLimit(joined, isJoined);
  if (!isJoined || end === 'again') return 'again';
  if (end === 'elsewhere') return findStored(joined, newestId);
  if (end.kind === 'issued') return share(joined, end);
  await recordJoined(joined, { reason: end.message, joined: running.id });
  return end;
}

/** A call that waited for a running request. */
interface Joined {
  readonly deps: DbDeps;
  readonly caller: Caller;
  readonly subject: IssuanceSubject;
  readonly running: IssuanceRow;
}

async function failJoined(joined: Joined, isJoined: boolean, error: unknown): Promise<'again'> {
  if (!isJoined) return 'again';
  if (error instanceof AppError && error.kind === 'invalid_input') {
    const { message: reason, code } = error;
    await recordJoined(joined, { reason, code, joined: joined.running.id });
  }
  throw error;
}

async function endAtLimit(joined: Joined, isJoined: boolean): Promise<SigningEnd> {
  const message = isJoined
    ? 'another request is still having this CSR signed: its certificate is stored when the CA answers'
    : stillRunning;
  const { running } = joined;
  await recordJoined(joined, { reason: message, ...(isJoined && { joined: running.id }) });
  const isJob = running.isOrder && running.cause !== 'renewal' && running.cause !== 'client';
  return { kind: 'failed', message, ...(isJob && { unfinished: running }) };
}

/** Why a call got no certificate whose limit ended before another request for its FQDN. */
export const stillRunning =
  'another request for this FQDN is still running: repeat the call when it has ended';

/** The certificate that another process stored for the same CSR and provider after those that were there before. */
async function findStored(joined: Joined, newestId: string | undefined): Promise<JoinedEnd> {
  const { deps, subject, running } = joined;
  // others may have been stored since, but hardly as many
  const last = await deps.db.read((tx) => listLastCertificates(tx, subject.fqdn.id, 20));
  const since = last.slice(last.findIndex(({ id }) => id === newestId) + 1);
  const certificate = since.find(
    ({ csrId, providerId }) => csrId === running.csrId && providerId === running.providerId,
  );
  return certificate === undefined ? 'again' : share(joined, { kind: 'issued', certificate });
}

type Issued = Extract<SigningEnd, { readonly kind: 'issued' }>;

async function share(joined: Joined, end: Issued): Promise<JoinedEnd> {
  const certificate = await shareCertificate(joined, end.certificate);
  return certificate === undefined ? 'again' : { ...end, certificate };
}

/** Gives a certificate to the joined call as well; undefined if it was revoked or deleted in the meantime. */
export async function shareCertificate(
  { deps: { db, clock }, caller, subject, running }: Joined,
  issued: CertificateRow,
): Promise<CertificateRow | undefined> {
  return db.transaction(async (tx) => {
    const certificate = await findUsable(tx, issued);
    if (certificate === undefined) return undefined;
    const entry = signedAudit(subject, certificate, { joined: running.id });
    await recordAudit(tx, caller, entry, clock.now());
    return certificate;
  });
}

async function findUsable(tx: Tx, { id }: CertificateRow): Promise<CertificateRow | undefined> {
  const certificate = await findCertificate(tx, id);
  return certificate?.revokedAt === null ? certificate : undefined;
}

/** Writes the audit entry of a call that waited and got no certificate. */
export function recordJoined(
  { deps: { db, clock }, caller, subject }: Joined,
  failure: SigningFailure,
): Promise<void> {
  const entry = refusalAudit(subject, failure);
  return db.transaction((tx) => recordAudit(tx, caller, entry, clock.now()));
}

import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { type CertificateRow, findCertificate } from '../../certificates/certificates.repository.js';
import { fqdnNotFound } from '../../fqdns/fqdns.repository.js';
import { findRefusalOf } from '../signing/find-obstacles.service.js';
import type { IssuanceRow } from '../signing/issuances.repository.js';
import {
  acmeProviderOf,
  beginJob,
  type RequestDeps,
  type RequestState,
  recordRefusal,
} from './begin-job.service.js';
import { findRequested } from './start-issuance.service.js';

/**
 * Requests a certificate for an FQDN by ACME and waits for at most `waitSeconds`; the job goes on after that. A call
 * while one is under way waits for that one. Throws NotFound when the space, the FQDN or a CSR is not there,
 * InvalidInput when there is no enabled ACME provider, the FQDN has another one, the key is compromised, the policy of
 * the space does not allow a name or the provider, or another space holds a name.
 */
export async function requestCertificate(
  deps: RequestDeps,
  caller: Caller,
  input: {
    readonly spaceId: string;
    readonly fqdnId: string;
    readonly isConfirmed: boolean;
    readonly waitSeconds: number;
  },
): Promise<RequestState> {
  requireLevel(caller, input.spaceId, 'READ_WRITE');
  const requested = await deps.db.read(async (tx) => {
    const found = await findRequested(tx, input);
    const provider = await acmeProviderOf(tx, found.fqdn);
    const refusal = await findRefusalOf(tx, { ...found, provider });
    return { ...found, provider, refusal };
  });
  deps.opener.openForSigning(requested.provider);
  const asked = { ...requested, isConfirmed: input.isConfirmed, cause: 'request' } as const;
  if (requested.refusal !== undefined) {
    await recordRefusal(deps, caller, asked, requested.refusal);
    throw requested.refusal;
  }
  const begun = await beginJob(deps, caller, asked);
  if (begun.kind !== 'job') return begun;
  return awaitJob(deps, begun.job, input.waitSeconds * 1000);
}

/**
 * The job when it is over, or as it is after `ms`, with the result. Throws NotFound if it was deleted with its FQDN in the
 * meantime.
 */
export async function awaitJob(
  { db, runner }: Pick<RequestDeps, 'db' | 'runner'>,
  begun: IssuanceRow,
  ms: number,
): Promise<RequestState & { readonly kind: 'job' }> {
  const job = await runner.settled(begun.id, ms);
  if (job === undefined) throw fqdnNotFound('the FQDN was deleted while the certificate was being requested');
  return { kind: 'job', job, certificate: await db.read((tx) => findCertificateOf(tx, job)) };
}

/** The certificate that came of a job; undefined when none did, or when it is gone. */
export async function findCertificateOf(
  tx: Tx,
  { certificateId }: IssuanceRow,
): Promise<CertificateRow | undefined> {
  return certificateId === null ? undefined : findCertificate(tx, certificateId);
}

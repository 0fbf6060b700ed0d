import { newRowId, type Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { listNewestCertificateIds } from '../../certificates/newest-certificates.repository.js';
import { type CsrRow, csrNotFound, findLatestCsr } from '../../csrs/csrs.repository.js';
import { type FqdnRow, getFqdn } from '../../fqdns/fqdns.repository.js';
import { orderSubject } from '../../judging/csr-rules.js';
import {
  lockProviderForShare,
  type ProviderRow,
  providerNotFound,
} from '../../providers/providers.repository.js';
import { idempotencyKeyOf } from '../signing/idempotency-key.js';
import { type IssuanceRow, noClient, noOrder } from '../signing/issuances.repository.js';
import { insertJob } from './issuance-jobs.repository.js';
import { jobCallerOf } from './job-audit.js';
import { changeStep, type StepReports } from './request-plan.js';

/** Requested job. */
export interface NewJob {
  readonly cause: IssuanceRow['cause'];
  readonly fqdn: FqdnRow;
  readonly csr: CsrRow;
  readonly provider: ProviderRow;
  /** Steps that came before. */
  readonly steps: StepReports;
  readonly replacesId: string | null;
}

/** Makes a job that waits for a worker; the FQDN is locked and has no open one. Throws NotFound when the provider is gone. */
export async function insertNewJob(
  tx: Tx,
  caller: Caller,
  { cause, fqdn, csr, provider, steps, replacesId }: NewJob,
  now: Date,
): Promise<IssuanceRow> {
  if ((await lockProviderForShare(tx, provider.id)) === undefined) throw providerNotFound();
  const [newest] = await listNewestCertificateIds(tx, [fqdn.id]);
  const row: IssuanceRow = {
    id: newRowId(now),
    fqdnId: fqdn.id,
    fqdn: fqdn.fqdn,
    spaceId: fqdn.spaceId,
    csrId: csr.id,
    spkiSha256: csr.spkiSha256,
    providerId: provider.id,
    cause,
    isOrder: true,
    state: 'queued',
    idempotencyKey: idempotencyKeyOf({ fqdnId: fqdn.id, csrId: csr.id, newestId: newest?.id }),
    caller: jobCallerOf(caller),
    steps,
    ...noOrder,
    issued: null,
    isConfirmed: false,
    replacesId,
    certificateId: null,
    code: null,
    message: 'in progress',
    attempt: 0,
    leaseUntil: null,
    nextAt: now,
    createdAt: now,
    finishedAt: null,
    ...noClient,
  };
  await insertJob(tx, row);
  return row;
}

/** The FQDN and its newest CSR. Throws NotFound. */
export async function findRequested(
  tx: Tx,
  { spaceId, fqdnId }: { readonly spaceId: string; readonly fqdnId: string },
): Promise<{ readonly fqdn: FqdnRow; readonly csr: CsrRow }> {
  const fqdn = await getFqdn(tx, spaceId, fqdnId);
  const csr = await findLatestCsr(tx, fqdn.id);
  if (csr !== undefined) return { fqdn, csr };
  throw csrNotFound('no CSR is stored for this FQDN');
}

/** The steps before the CA is asked. Throws InvalidInput for a CSR that ACME CAs refuse. */
export function firstSteps({ csrPem }: CsrRow, now: Date): StepReports {
  const { identifiers } = orderSubject(csrPem);
  const names = identifiers.map(({ value }) => value);
  const detail =
    names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
  const checked = changeStep({}, 'csrCheck', { status: 'ok', detail }, now);
  return changeStep(checked, 'policy', { status: 'ok' }, now);
}

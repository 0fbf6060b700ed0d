import { newRowId, type Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { type CsrRow, csrNotFound, findLatestCsr } from '../../csrs/csrs.repository.js';
import { type FqdnRow, getFqdn } from '../../fqdns/fqdns.repository.js';
import { orderSubject } from '../../judging/csr-rules.js';
import {
  lockProviderForShare,
  type ProviderRow,
  providerNotFound,
} from '../../providers/providers.repository.js';
import { findLatestJob, type IssuanceJobRow, insertJob, updateJob } from './issuance-jobs.repository.js';
import { jobCallerOf } from './job-audit.js';
import { changeStep, type StepReports } from './request-plan.js';

/** What is asked for. */
export interface NewJob {
  readonly kind: IssuanceJobRow['kind'];
  readonly fqdn: FqdnRow;
  readonly csr: CsrRow;
  readonly provider: ProviderRow;
  /** Steps that came before. */
  readonly steps: StepReports;
  readonly replacesId: string | null;
}

/** Makes a job in the hands of this process; the FQDN is locked and has no open one. Throws NotFound when the provider is gone. */
export async function insertNewJob(
  tx: Tx,
  caller: Caller,
  { kind, fqdn, csr, provider, steps, replacesId }: NewJob,
  { now, leaseMs }: { readonly now: Date; readonly leaseMs: number },
): Promise<IssuanceJobRow> {
  if ((await lockProviderForShare(tx, provider.id)) === undefined) throw providerNotFound();
  const row: IssuanceJobRow = {
    id: newRowId(now),
    fqdnId: fqdn.id,
    spaceId: fqdn.spaceId,
    csrId: csr.id,
    providerId: provider.id,
    kind,
    status: 'running',
    caller: jobCallerOf(caller),
    steps,
    orderState: await orderLeftBehind(tx, csr, provider),
    isConfirmed: false,
    replacesId,
    certificateId: null,
    message: 'in progress',
    attempt: 1,
    leaseUntil: new Date(now.getTime() + leaseMs),
    createdAt: now,
    finishedAt: null,
  };
  await insertJob(tx, row);
  return row;
}

/** An order that the job before could not bring to its end goes on in this one, and only here. */
async function orderLeftBehind(tx: Tx, { id, fqdnId }: CsrRow, provider: ProviderRow) {
  const last = await findLatestJob(tx, fqdnId);
  if (last?.status !== 'failed' || last.csrId !== id || last.providerId !== provider.id) return null;
  if (last.leaseUntil !== null) await updateJob(tx, last, { leaseUntil: null });
  return last.orderState;
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

import { AppError, InvalidInput } from '@certloop/contracts';
import { constraintViolation, type Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { listLastCertificates } from '../../certificates/newest-certificates.repository.js';
import type { CsrRow } from '../../csrs/csrs.repository.js';
import { rejectHeldNames } from '../../csrs/name-refusals.service.js';
import type { DbDeps } from '../../db-deps.js';
import { type FqdnRow, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { isPolicyRefused } from '../../fqdns/policy/policy-refused.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import { kindOf } from '../../providers/provider-kinds.js';
import { findOrderProvider, getProvider, type ProviderRow } from '../../providers/providers.repository.js';
import type { IssuanceRow } from '../signing/issuances.repository.js';
import { findOpenJob } from './issuance-jobs.repository.js';
import type { IssuanceRunner } from './issuance-runner.service.js';
import {
  changeStep,
  failUnderWay,
  findServing,
  needsConfirmation,
  type StepReports,
} from './request-plan.js';
import { firstSteps, insertNewJob } from './start-issuance.service.js';

export interface RequestDeps extends DbDeps {
  readonly opener: ProviderOpener;
  readonly runner: IssuanceRunner;
  /** When the scheduler would renew a certificate; undefined when it has none to renew. */
  readonly renewAtOf: (tx: Tx, fqdn: FqdnRow) => Promise<Date | undefined>;
}

/** Where a request stands when its caller is answered. */
export type RequestState =
  | {
      readonly kind: 'job';
      readonly job: IssuanceRow;
      /** Its result. */
      readonly certificate?: CertificateRow | undefined;
    }
  /** A certificate serves, and the caller has not confirmed that they want another one. */
  | { readonly kind: 'unconfirmed'; readonly serving: CertificateRow; readonly steps: StepReports }
  /** Nothing was begun. */
  | { readonly kind: 'refused'; readonly message: string; readonly steps: StepReports };

/** Parts of which a job is made. */
export interface Requested {
  readonly fqdn: FqdnRow;
  readonly csr: CsrRow;
  readonly provider: ProviderRow;
  readonly isConfirmed: boolean;
  readonly cause: 'sign' | 'request';
}

/**
 * The job under way, a new one, or why there is none. Throws InvalidInput if another space holds one of the names, which
 * is audited.
 */
export async function beginJob(
  deps: RequestDeps,
  caller: Caller,
  requested: Requested,
): Promise<BegunRequest> {
  try {
    const state = await deps.db.transaction((tx) => decide(tx, deps, caller, requested));
    if (state.kind === 'job' && state.isNew) await deps.runner.begin(state.job);
    return state;
  } catch (error) {
    // another process was first: its job is the one
    if (constraintViolation(error)?.kind === 'unique') return beginJob(deps, caller, requested);
    if (isPolicyRefused(error)) await recordRefusal(deps, caller, requested, error);
    throw error;
  }
}

/** A request as it begins: `isNew` unless its FQDN had an open job. */
export type BegunRequest =
  | Exclude<RequestState, { kind: 'job' }>
  | (RequestState & { readonly kind: 'job'; readonly isNew: boolean });

async function decide(
  tx: Tx,
  { clock, renewAtOf }: RequestDeps,
  caller: Caller,
  requested: Requested,
): Promise<BegunRequest> {
  const fqdn = await lockFqdn(tx, requested.fqdn.spaceId, requested.fqdn.id);
  const open = await findOpenJob(tx, fqdn.id);
  if (open !== undefined) return { kind: 'job', job: open, isNew: false };
  await rejectHeldNames(tx, { caller, fqdn, csr: requested.csr });
  const now = clock.now();
  const first = checkCsr(requested.csr, now);
  if (first.fault !== undefined) return refuse(tx, caller, requested, { ...first, now });
  // one that serves is among the last, however many there have been
  const serving = findServing(await listLastCertificates(tx, fqdn.id, 20), fqdn.fqdn, now);
  const terms = { isConfirmed: requested.isConfirmed, renewAt: await renewAtOf(tx, fqdn), now };
  if (needsConfirmation(serving, terms) && serving !== undefined) {
    return askToConfirm(tx, caller, requested, serving, now);
  }
  const detail = serving === undefined ? 'none' : `valid until ${serving.expiresAt.toISOString()}`;
  const steps = changeStep(first.steps, 'existing', { status: 'ok', detail }, now);
  const replacesId = serving?.id ?? null;
  const job = await insertNewJob(tx, caller, { ...requested, fqdn, steps, replacesId }, now);
  const details = { jobId: job.id, providerId: job.providerId, confirmed: requested.isConfirmed };
  if (job.cause === 'request')
    await recordAudit(tx, caller, auditOf(requested, 'certificate.request', details), now);
  return { kind: 'job', job, isNew: true };
}

function checkCsr(csr: CsrRow, now: Date): { readonly steps: StepReports; readonly fault?: string } {
  try {
    return { steps: firstSteps(csr, now) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, code } = error;
    return { fault: message, steps: failUnderWay({}, { code, message, retryable: false }, now) };
  }
}

/** Writes an audit entry of the refusal of a request: what was begun is rolled back. */
export async function recordRefusal(
  { db, clock }: Pick<RequestDeps, 'db' | 'clock'>,
  caller: Caller,
  requested: Requested,
  { code, message: reason }: InvalidInput,
): Promise<void> {
  const action = failureOf(requested);
  const entry = { ...auditOf(requested, action, { code, reason }), outcome: 'failure' as const };
  await db.transaction((tx) => recordAudit(tx, caller, entry, clock.now()));
}

function failureOf({ cause }: Requested) {
  return cause === 'sign' ? 'csr.sign' : 'certificate.fail';
}

/** Nothing is begun; the audit log says why. */
async function refuse(
  tx: Tx,
  caller: Caller,
  requested: Requested,
  { fault, steps, now }: { readonly fault?: string; readonly steps: StepReports; readonly now: Date },
): Promise<BegunRequest> {
  const message = fault ?? '';
  const entry = {
    ...auditOf(requested, failureOf(requested), { reason: message }),
    outcome: 'failure' as const,
  };
  await recordAudit(tx, caller, entry, now);
  return { kind: 'refused', message, steps };
}

async function askToConfirm(
  tx: Tx,
  caller: Caller,
  requested: Requested,
  serving: CertificateRow,
  now: Date,
): Promise<BegunRequest> {
  const detail = `valid until ${serving.expiresAt.toISOString()}`;
  const action = 'certificate.request.needs_confirmation';
  await recordAudit(tx, caller, auditOf(requested, action, { certificateId: serving.id }), now);
  return { kind: 'unconfirmed', serving, steps: { existing: { status: 'needs_confirmation', detail } } };
}

/** The provider that the FQDN names, or the ACME one. */
export async function acmeProviderOf(tx: Tx, { providerId }: FqdnRow): Promise<ProviderRow> {
  const provider = providerId === null ? await findOrderProvider(tx) : await getProvider(tx, providerId);
  if (provider !== undefined && kindOf(provider).issuance === 'order') return provider;
  const name = provider === undefined ? 'none' : `${provider.name}, of the kind ${kindOf(provider).name}`;
  throw new InvalidInput(
    `the provider of this FQDN is not an ACME one: ${name}; have the CSR signed by POST …/csr/sign`,
    {
      code: 'provider_not_acme',
      title: 'Not an ACME provider',
    },
  );
}

function auditOf(
  { fqdn, csr, cause, provider }: Requested,
  action: 'certificate.request' | 'certificate.request.needs_confirmation' | 'certificate.fail' | 'csr.sign',
  more: Readonly<Record<string, unknown>>,
) {
  const resource =
    cause === 'sign'
      ? { resourceType: 'csr', resourceId: csr.id }
      : { resourceType: 'fqdn', resourceId: fqdn.id };
  const details = { fqdn: fqdn.fqdn, fqdnId: fqdn.id, provider: provider.name, ...more };
  return { action, ...resource, spaceId: fqdn.spaceId, details };
}

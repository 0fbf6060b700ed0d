import {
  deleteRows,
  executeSql,
  findRow,
  insertMany,
  type ListPage,
  type ListWindow,
  lockForUpdate,
  placeholders,
  querySql,
  readListPage,
  slicesOf,
  type Tx,
} from '@certloop/db';
import { In } from 'typeorm';
import type { DeletedScope } from '../../fqdns/fqdns.service.js';
import { findProviderUsers, type ProviderUsers } from '../../providers/provider-users.repository.js';
import { takeOrderOfLineage } from '../clients/client-issuances.repository.js';
import { changeOfIssuance, type jobStatuses, type LeaseTerms, statesOf } from '../signing/issuance-state.js';
import {
  type IssuanceRow,
  issuances,
  noOrder,
  takeOrderLeft,
  updateIssuance,
} from '../signing/issuances.repository.js';
import { withoutFailure } from './request-plan.js';

/** The issuances that the API shows as jobs: those of providers with orders that a caller asked for. */
const isJob = "is_order and cause not in ('renewal', 'client')";

const openStates = ['queued', 'running', 'waiting'] as const;
const isOpen = `${isJob} and state in ('queued', 'running', 'waiting')`;

/** The database refuses a second open job of an FQDN. */
export function insertJob(tx: Tx, row: IssuanceRow): Promise<void> {
  return insertMany(tx, issuances, [row]);
}

/** A job; undefined also if its FQDN was deleted. */
export async function findJob(tx: Tx, id: string): Promise<IssuanceRow | undefined> {
  const text = `select * from issuances where id = $1 and ${isJob}
    and exists (select 1 from fqdns where fqdns.id = issuances.fqdn_id)`;
  return (await querySql(tx, issuances.columns, text, [id]))[0];
}

/** The job of an FQDN that has not come to its end. */
export async function findOpenJob(tx: Tx, fqdnId: string): Promise<IssuanceRow | undefined> {
  const text = `select * from issuances where fqdn_id = $1 and ${isOpen}`;
  return (await querySql(tx, issuances.columns, text, [fqdnId]))[0];
}

/** Id of the job that brought a certificate, as long as the job is stored. */
export async function findJobIdOfCertificate(
  tx: Tx,
  { id, fqdnId }: { readonly id: string; readonly fqdnId: string },
): Promise<string | undefined> {
  const text = `select id from issuances where fqdn_id = $1 and certificate_id = $2 and ${isJob} limit 1`;
  return (await querySql(tx, { id: issuances.columns.id }, text, [fqdnId, id]))[0]?.id;
}

/** Jobs and orders of ACME clients by a provider that have not come to their end. */
export function findOpenJobsOfProvider(tx: Tx, providerId: string): Promise<ProviderUsers> {
  const condition = `provider_id = $1 and state in ('queued', 'running', 'waiting') and (${isJob} or cause = 'client')`;
  return findProviderUsers(tx, { table: 'issuances', fqdnId: 'fqdn_id', condition }, [providerId]);
}

/** An issuance in the hands of this process. */
export interface ClaimedIssuance {
  readonly issuance: IssuanceRow;
  /** Whether its worker before did not come to an end. */
  readonly isTakenOver: boolean;
}

/**
 * Takes an issuance for this process: exactly one worker gets it. A job continues the order that the request before has
 * left; a failed one runs again, unless its FQDN has an open job. `busy` if another issuance of the FQDN is running,
 * undefined if the issuance has ended, is not due, or is another worker's. Throws a unique violation if one is begun at the
 * same time.
 */
export async function claimIssuance(
  tx: Tx,
  id: string,
  now: Date,
  terms: LeaseTerms,
): Promise<ClaimedIssuance | 'busy' | undefined> {
  const issuance = await findRow(tx, issuances, { id });
  if (issuance === undefined) return undefined;
  const { isOrder, state, fqdnId, cause } = issuance;
  const isOfClient = cause === 'client';
  // a CA without orders is asked again beside what is running
  const isRunAgain = isOrder && state === 'unknown';
  const claim = changeOfIssuance(
    isRunAgain ? { ...issuance, state: 'queued' } : issuance,
    { kind: 'claim', now },
    terms,
  );
  if (claim === undefined) return undefined;
  if (isRunAgain && !isOfClient && (await findOpenJob(tx, fqdnId)) !== undefined) return undefined;
  if (claim.state === 'running' && (await findRow(tx, issuances, { fqdnId, state: 'running' })) !== undefined)
    return isRunAgain ? undefined : 'busy';
  const again = isRunAgain && { steps: withoutFailure(issuance.steps), message: 'in progress' };
  const change = { ...claim, ...again };
  if (!(await updateIssuance(tx, issuance, change))) return undefined;
  // a later order may have replaced the CSR before the row was claimed
  const claimed = (isOfClient && (await findRow(tx, issuances, { id }))) || { ...issuance, ...change };
  const takeLeft = isOfClient ? takeOrderOfLineage : takeOrderLeft;
  const left = isOrder && claimed.orderState === null ? await takeLeft(tx, claimed) : noOrder;
  if (left.orderState !== null) await updateIssuance(tx, claimed, left);
  return {
    issuance: left.orderState === null ? claimed : { ...claimed, ...left },
    isTakenOver: state !== 'queued',
  };
}

/** The job, locked until the transaction ends. */
export async function lockJob(tx: Tx, id: string): Promise<IssuanceRow | undefined> {
  return (await lockForUpdate(tx, issuances, { id }))[0];
}

/** Deletes at most 1000 ended jobs that are older than `before`; how many there were. */
export function deleteOldJobs(tx: Tx, before: Date): Promise<number> {
  const text = `delete from issuances where id in (
    select id from issuances where finished_at < $1 and state in ('issued', 'failed') limit 1000)`;
  return executeSql(tx, text, [before]);
}

const maxTogether = 500;

/**
 * Deletes the jobs of deleted FQDNs that have ended, and open ones whose CA need not be asked what it issued. It is asked by
 * a job then for a failed renewal too, whose entry would have gone on.
 */
export async function deleteJobsOf(
  tx: Tx,
  scope: DeletedScope,
  isNeeded: (job: IssuanceRow) => boolean,
): Promise<void> {
  const place = { ...(scope === 'all' ? {} : scope), isOrder: true };
  const renewals = await lockForUpdate(tx, issuances, { ...place, cause: 'renewal', state: 'failed' });
  const asked = renewals.filter(isNeeded).map(({ id }) => id);
  for (const ids of slicesOf(asked, maxTogether)) {
    const named = `id in (${placeholders(ids.length)})`;
    await executeSql(tx, `update issuances set state = 'unknown', next_at = finished_at where ${named}`, ids);
  }
  await deleteRows(tx, issuances, { ...place, state: In(['issued', 'failed']) });
  const open = await lockForUpdate(tx, issuances, { ...place, state: In([...openStates, 'unknown']) });
  const useless = open.filter((job) => !isNeeded(job)).map(({ id }) => id);
  for (const ids of slicesOf(useless, maxTogether)) await deleteRows(tx, issuances, { id: In([...ids]) });
}

const { orderState: _, issued: __, ...listedColumns } = issuances.columns;

/** A job as lists read it. */
export type ListedJob = Omit<IssuanceRow, 'orderState' | 'issued'>;

export interface JobFilter {
  readonly fqdnId?: string | undefined;
  readonly spaceId?: string | undefined;
  readonly status?: (typeof jobStatuses)[keyof typeof jobStatuses] | undefined;
}

/** One page of the jobs that match, the newest first. */
export function readJobPage(
  tx: Tx,
  { fqdnId, spaceId, status }: JobFilter,
  window: ListWindow,
): Promise<ListPage<ListedJob>> {
  const table = { name: issuances.name, columns: listedColumns };
  const where = {
    ...(fqdnId !== undefined && { fqdn_id: [fqdnId] }),
    ...(spaceId !== undefined && { space_id: [spaceId] }),
    ...(status !== undefined && { state: statesOf(status) }),
  };
  const also = () => [isJob, 'exists (select 1 from fqdns where fqdns.id = issuances.fqdn_id)'];
  return readListPage<ListedJob>(tx, { table, by: 'createdAt', isNewestFirst: true, where, also }, window);
}

import { claimDueBatch, column, placeholders, querySql, type Tx } from '@certloop/db';
import { In, LessThanOrEqual, MoreThan, Not } from 'typeorm';
import { fqdns } from '../../fqdns/fqdns.repository.js';
import { claimedBy } from '../renewal-entry.js';
import { type RenewalRow, renewalQueue } from '../renewals.repository.js';

export interface RenewalClaim {
  readonly providerId: string;
  readonly now: Date;
  readonly owner: string;
  readonly leaseUntil: Date;
  /** Maximum number of entries. */
  readonly limit: number;
  /** Whether those come first whose certificates end first, as the CA has little room; else those due first. */
  readonly byExpiry?: boolean;
}

/**
 * Claims due entries of one provider, the earliest first, at most one for each FQDN, and none for an FQDN with a
 * running renewal, request or call of csr/sign. Throws a unique violation if another worker claims the same FQDN at the same time.
 */
export async function claimRenewals(
  tx: Tx,
  { providerId, now, owner, leaseUntil, limit, byExpiry = false }: RenewalClaim,
): Promise<RenewalRow[]> {
  if (limit <= 0) return [];
  const busy = await listBusyFqdns(tx, now);
  const chosen = byExpiry ? await listFirstEnding(tx, { providerId, now, limit }, busy) : undefined;
  if (chosen?.length === 0) return [];
  return claimDueBatch(tx, {
    table: renewalQueue,
    where: {
      status: 'pending',
      providerId,
      scheduledAt: LessThanOrEqual(now),
      ...(chosen !== undefined ? { id: In(chosen) } : busy.length > 0 && { fqdnId: Not(In(busy)) }),
    },
    order: { scheduledAt: 'ASC', id: 'ASC' },
    limit,
    choose: firstOfEachFqdn,
    set: claimedBy(owner, leaseUntil),
  });
}

/** Due entries whose certificates end first. */
async function listFirstEnding(
  tx: Tx,
  { providerId, now, limit }: Pick<RenewalClaim, 'providerId' | 'now' | 'limit'>,
  busy: readonly string[],
): Promise<string[]> {
  const others = busy.length > 0 ? `and q.fqdn_id not in (${placeholders(busy.length, 4)})` : '';
  const text = `select q.id from renewal_queue q join certificates c on c.id = q.certificate_id
    where q.status = 'pending' and q.provider_id = $1 and q.scheduled_at <= $2 ${others}
    order by c.expires_at, q.id limit $3`;
  const rows = await querySql(tx, { id: column.uuid() }, text, [providerId, now, limit, ...busy]);
  return rows.map(({ id }) => id);
}

/** Renewals by a provider that are under way in all processes. */
export async function countUnderWay(tx: Tx, providerId: string): Promise<number> {
  return tx.countBy(renewalQueue, { status: 'processing', providerId });
}

/** Renewals by a provider that were completed since the moment. */
export async function countCompletedSince(tx: Tx, providerId: string, since: Date): Promise<number> {
  return tx.countBy(renewalQueue, { status: 'completed', providerId, finishedAt: MoreThan(since) });
}

function firstOfEachFqdn(entries: readonly RenewalRow[]): RenewalRow[] {
  const seen = new Set<string>();
  return entries.filter(({ fqdnId }) => !seen.has(fqdnId) && seen.add(fqdnId));
}

/** Claims entries whose CA must be asked for its renewal window, with a lease until `until`. */
export function claimAdvice(
  tx: Tx,
  { now, until, limit }: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<RenewalRow[]> {
  return claimDueBatch(tx, {
    table: renewalQueue,
    where: { status: 'pending', adviceDueAt: LessThanOrEqual(now) },
    order: { adviceDueAt: 'ASC', id: 'ASC' },
    limit,
    set: { adviceDueAt: until },
  });
}

/** Whether this provider has due entries. */
export function hasDueRenewal(tx: Tx, providerId: string, now: Date): Promise<boolean> {
  return tx.existsBy(renewalQueue, { status: 'pending', providerId, scheduledAt: LessThanOrEqual(now) });
}

/** FQDNs that a worker is processing; about as many as there are workers. */
async function listBusyFqdns(tx: Tx, now: Date): Promise<string[]> {
  // a renewal continues the issuance of one whose process has died; others are continued by the job that asks CAs again
  const text = `select fqdn_id from renewal_queue where status = 'processing'
    union all select fqdn_id from issuances
      where state = 'running' and (cause <> 'renewal' or lease_until > $1)
    union all select fqdn_id from issuances
      where state = 'queued' and next_at is not null and is_order and cause <> 'renewal'`;
  const rows = await querySql(tx, { fqdnId: renewalQueue.columns.fqdnId }, text, [now]);
  return rows.map((row) => row.fqdnId);
}

/** Entries whose lease has expired. */
export function listLapsedRenewals(tx: Tx, now: Date): Promise<RenewalRow[]> {
  return tx.find(renewalQueue, { where: { status: 'processing', leaseUntil: LessThanOrEqual(now) } });
}

/** Planned renewals that failed more than three times and will be retried: their number, and the first of them. */
export interface Troubled {
  readonly count: number;
  readonly first: string | undefined;
}

export async function findTroubled(tx: Tx): Promise<Troubled> {
  const condition = "q.status = 'pending' and q.attempt > 3 and q.is_test = false";
  const [total] = await querySql(
    tx,
    { count: column.bigint() },
    `select count(*) as count from renewal_queue q where ${condition}`,
  );
  if (total === undefined || total.count === 0) return { count: 0, first: undefined };
  const [entry] = await querySql(
    tx,
    { fqdn: fqdns.columns.fqdn },
    `select f.fqdn from renewal_queue q join fqdns f on f.id = q.fqdn_id
     where ${condition} order by q.scheduled_at limit 1`,
  );
  return { count: total.count, first: entry?.fqdn };
}

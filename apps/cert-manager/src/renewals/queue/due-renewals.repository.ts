import { claimDueBatch, column, querySql, type SqlValue, type Tx } from '@certloop/db';
import { In, LessThanOrEqual } from 'typeorm';
import { fqdns } from '../../fqdns/fqdns.repository.js';
import { claimedBy } from '../renewal-entry.js';
import { type RenewalRow, renewalQueue } from '../renewals.repository.js';

export interface DueRenewals {
  readonly providerId: string;
  readonly now: Date;
  /** Maximum number of entries. */
  readonly limit: number;
  /** Whether those come first whose certificates end first, as the CA has little room; else those due first. */
  readonly byExpiry: boolean;
}

// a renewal continues the issuance of one whose process has died; others are continued by the job that asks CAs again
const isFree = `not exists (select 1 from renewal_queue other
    where other.fqdn_id = q.fqdn_id and other.status = 'processing')
  and not exists (select 1 from issuances other where other.fqdn_id = q.fqdn_id
    and other.state = 'running' and (other.cause <> 'renewal' or other.lease_until > $2))
  and not exists (select 1 from issuances other where other.fqdn_id = q.fqdn_id
    and other.is_order and other.cause not in ('renewal', 'client') and other.state in ('queued', 'running', 'waiting')
    and other.state = 'queued' and other.next_at is not null)`;

/**
 * Due entries of one provider, at most one for each FQDN, and none for an FQDN with a running renewal, request or call of
 * csr/sign. They are not locked: another worker may claim them.
 */
export async function listDueRenewals(
  tx: Tx,
  { providerId, now, limit, byExpiry }: DueRenewals,
): Promise<RenewalRow[]> {
  const certificates = byExpiry ? 'join certificates c on c.id = q.certificate_id' : '';
  const text = `select q.* from renewal_queue q ${certificates}
    where q.status = 'pending' and q.provider_id = $1 and q.scheduled_at <= $2 and ${isFree}
    order by ${byExpiry ? 'c.expires_at' : 'q.scheduled_at'}, q.id limit ${limit}`;
  return firstOfEachFqdn(await querySql(tx, renewalQueue.columns, text, [providerId, now]));
}

/** Claims those of the entries that are still due; their FQDNs are locked. */
export async function claimRenewals(
  tx: Tx,
  ids: readonly string[],
  { owner, leaseUntil, now }: { readonly owner: string; readonly leaseUntil: Date; readonly now: Date },
): Promise<RenewalRow[]> {
  if (ids.length === 0) return [];
  return claimDueBatch<RenewalRow>(tx, {
    table: renewalQueue,
    where: { id: In([...ids]), status: 'pending', scheduledAt: LessThanOrEqual(now) },
    order: { scheduledAt: 'ASC', id: 'ASC' },
    limit: ids.length,
    set: claimedBy(owner, leaseUntil),
  });
}

/** Renewals by a provider that are under way in all processes. */
export function countUnderWay(tx: Tx, providerId: string): Promise<number> {
  return countWhere(tx, "status = 'processing' and provider_id = $1", [providerId]);
}

/** Renewals by a provider that were completed since the moment. */
export function countCompletedSince(tx: Tx, providerId: string, since: Date): Promise<number> {
  const condition = "status = 'completed' and provider_id = $1 and finished_at > $2";
  return countWhere(tx, condition, [providerId, since]);
}

async function countWhere(tx: Tx, condition: string, values: readonly SqlValue[]): Promise<number> {
  const text = `select count(*) as count from renewal_queue where ${condition}`;
  const [row] = await querySql(tx, { count: column.bigint() }, text, values);
  return row?.count ?? 0;
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
export async function hasDueRenewal(tx: Tx, providerId: string, now: Date): Promise<boolean> {
  const condition = "status = 'pending' and provider_id = $1 and scheduled_at <= $2";
  const text = `select 1 from renewal_queue where ${condition} limit 1`;
  return (await querySql(tx, {}, text, [providerId, now])).length > 0;
}

/** Entries whose lease has expired. */
export function listLapsedRenewals(tx: Tx, now: Date): Promise<RenewalRow[]> {
  const text = "select * from renewal_queue where status = 'processing' and lease_until <= $1";
  return querySql(tx, renewalQueue.columns, text, [now]);
}

/** Planned renewals that failed more than three times and will be retried: their number, and the first of them. */
export interface Troubled {
  readonly count: number;
  readonly first: string | undefined;
}

export async function findTroubled(tx: Tx): Promise<Troubled> {
  const condition = "status = 'pending' and attempt > 3 and is_test = false";
  const count = await countWhere(tx, condition, []);
  if (count === 0) return { count, first: undefined };
  const [entry] = await querySql(
    tx,
    { fqdn: fqdns.columns.fqdn },
    `select f.fqdn from renewal_queue q join fqdns f on f.id = q.fqdn_id
     where ${condition} order by scheduled_at limit 1`,
  );
  return { count, first: entry?.fqdn };
}

import { type RenewalStatus, renewalStatuses } from '@certloop/contracts';
import { column, querySql, type Tx } from '@certloop/db';
import { jobRuns } from '../renewals/queue/job-runs.repository.js';
import { stateCondition } from '../statuses/statuses.repository.js';
import { certificatesInUse, inDays } from './expiry-scrape.repository.js';

/** Rows that a count looks at: a scrape must cost the same however much there is. */
export const maxCounted = 100_000;

/** Entries of the renewal queue by status, each counted up to `maxCounted`. */
export async function countRenewals(tx: Tx): Promise<{ status: RenewalStatus; count: number }[]> {
  const parts = renewalStatuses.map(
    (status) => `select '${status}' as status, count(*) as count from
      (select 1 from renewal_queue where status = '${status}' limit ${maxCounted}) ${status}_rows`,
  );
  const columns = { status: column.word<RenewalStatus>(16), count: column.bigint() };
  return querySql(tx, columns, parts.join(' union all '));
}

export interface DueRenewals {
  /** Counted up to `maxCounted`. */
  readonly count: number;
  /** When the earliest of them was due; null when none is. */
  readonly earliest: Date | null;
}

export async function readDueRenewals(tx: Tx, now: Date): Promise<DueRenewals> {
  const text = `select count(*) as count, min(scheduled_at) as earliest from
    (select scheduled_at from renewal_queue where status = 'pending' and scheduled_at <= $1
     order by scheduled_at limit ${maxCounted}) due`;
  const columns = { count: column.bigint(), earliest: column.instant().nullable() };
  const [due] = await querySql(tx, columns, text, [now]);
  return due ?? { count: 0, earliest: null };
}

/** When the job last came to a good end anywhere; undefined when it never did. */
export async function findLastJobSuccess(tx: Tx, job: string): Promise<Date | undefined> {
  return (await tx.findOneBy(jobRuns, { job }))?.succeededAt;
}

/**
 * Certificates in use that expire within 7 days, or did within the last 30, and whose renewal is not planned;
 * counted up to 1 000.
 */
export async function countUnattended(tx: Tx, now: Date): Promise<number> {
  const text = `select count(*) as count from
    (select 1 from (${certificatesInUse(tx)}) c join fqdn_standings s on s.id = c.fqdn_id
      where c.expires_at <= $3 and s.outlook not in ('planned', 'by_client') limit 1000) unattended`;
  const bounds = [now, inDays(now, -30), inDays(now, 7)];
  const [counted] = await querySql(tx, { count: column.bigint() }, text, bounds);
  return counted?.count ?? 0;
}

/** States of FQDNs that a metric counts: the others are valid. */
export const countedStates = ['unfinished', 'due', 'failing', 'expired'] as const;

/** FQDNs by state, and how many need people, each counted up to `maxCounted`. */
export async function countFqdnsByState(
  tx: Tx,
  now: Date,
): Promise<{ readonly word: string; readonly count: number }[]> {
  const conditions = [
    ...countedStates.map((state) => [state, stateCondition(state, '$1')] as const),
    ['needs_you', 'attention_at <= $1'] as const,
  ];
  const parts = conditions.map(
    ([word, condition]) => `select '${word}' as word, count(*) as count from
      (select 1 from fqdn_standings where ${condition} limit ${maxCounted}) ${word}_rows`,
  );
  return querySql(tx, { word: column.word(16), count: column.bigint() }, parts.join(' union all '), [now]);
}

import type { RenewalStatus } from '@certloop/contracts';
import { querySql, type SqlValue, type Tx } from '@certloop/db';
import type { SpaceScope } from '../spaces/spaces.repository.js';
import { type RenewalRow, renewalQueue } from './renewals.repository.js';

/** An entry as lists read it. */
export type ListedRenewal = Omit<
  RenewalRow,
  'journal' | 'adviceDueAt' | 'windowStart' | 'windowEnd' | 'explanationUrl'
>;

/** Entries of the spaces, by the moment they run. */
export function listRenewalRows(
  tx: Tx,
  filter: {
    readonly scope: SpaceScope;
    readonly status?: RenewalStatus | undefined;
    readonly limit?: number | undefined;
  },
): Promise<ListedRenewal[]> {
  const { journal, adviceDueAt, windowStart, windowEnd, explanationUrl, ...columns } = renewalQueue.columns;
  const { where, values } = conditionsOf(filter);
  // plain SQL: of thousands of rows, TypeORM's own reading would be the larger part of the cost
  const names =
    'id, fqdn_id, space_id, certificate_id, provider_id, status, scheduled_at, created_at, is_test';
  const more = 'attempt, lease_owner, lease_until, retry_of, reason, finished_at';
  const limit = filter.limit === undefined ? '' : `limit ${filter.limit}`;
  const text = `select ${names}, ${more} from renewal_queue ${where} order by scheduled_at, id ${limit}`;
  return querySql(tx, columns, text, values);
}

function conditionsOf({
  scope,
  status,
}: {
  readonly scope: SpaceScope;
  readonly status?: string | undefined;
}) {
  const values: SqlValue[] = [];
  const conditions: string[] = [];
  if (scope !== 'all') {
    conditions.push(`space_id in (${scope.map((_, index) => `$${index + 1}`).join(', ') || 'null'})`);
    values.push(...scope);
  }
  if (status !== undefined) conditions.push(`status = $${values.push(status)}`);
  return { where: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`, values };
}

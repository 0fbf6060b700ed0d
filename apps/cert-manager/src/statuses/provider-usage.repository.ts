import { column, querySql, type SqlValue, type Tx } from '@certloop/db';
import type { SpaceScope } from '../spaces/spaces.repository.js';
import { inSpaces } from './outlook/outlook.repository.js';
import { isPlanned } from './statuses.repository.js';

/** How many FQDNs of a space ask a provider, and of how many a renewal is planned. */
export interface UsageRow {
  readonly providerId: string;
  readonly spaceId: string;
  readonly fqdns: number;
  readonly pendingRenewals: number;
}

/** The largest counts first. */
export function countUsage(tx: Tx, scope: SpaceScope): Promise<UsageRow[]> {
  const values: SqlValue[] = [];
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const text = `select s.provider_id, s.space_id, count(*) as fqdns,
      sum(case when ${isPlanned} then 1 else 0 end) as pending_renewals
    from fqdn_standings s where s.provider_id is not null ${inSpaces(scope, place)}
    group by s.provider_id, s.space_id order by count(*) desc, s.space_id`;
  const columns = {
    providerId: column.uuid(),
    spaceId: column.uuid(),
    fqdns: column.bigint(),
    pendingRenewals: column.bigint(),
  };
  return querySql<UsageRow>(tx, columns, text, values);
}

/** The last renewal or request with a provider that failed, of those that were not mended since. */
export async function findLastFailure(
  tx: Tx,
  providerId: string,
  scope: SpaceScope,
): Promise<{ readonly at: Date; readonly message: string } | undefined> {
  const values: SqlValue[] = [];
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const text = `select s.problem_at as at, s.problem_reason as message from fqdn_standings s
    where s.problem is not null and s.problem in ('renewal', 'request') and s.provider_id = ${place(providerId)}
      and s.problem_at is not null and s.problem_reason is not null ${inSpaces(scope, place)}
    order by s.problem_at desc limit 1`;
  const columns = { at: column.instant(), message: column.text() };
  return (await querySql<{ at: Date; message: string }>(tx, columns, text, values))[0];
}

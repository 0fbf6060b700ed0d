import { column, inDialect, querySql, type RowOf, type SqlValue, type Tx } from '@certloop/db';
import type { SpaceScope } from '../../spaces/spaces.repository.js';
import { isPlanned } from '../statuses.repository.js';
import { renewalsPerSecond } from './outlook.js';

const rowColumns = {
  providerId: column.uuid(),
  /** The least of each end minus what the renewals up to it take, in seconds since 1970, at either pace. */
  firstTooLateDirect: column.bigint(),
  firstTooLateOrder: column.bigint(),
  dueIn24h: column.bigint(),
  peakPerHour: column.bigint(),
};

/** Plans with a provider in the spaces. */
export type ProviderRow = RowOf<{ columns: typeof rowColumns }>;

/** The providers with whom renewals are planned of certificates that have not ended. */
export async function readProviderPlans(tx: Tx, scope: SpaceScope, now: Date): Promise<ProviderRow[]> {
  const values: SqlValue[] = [];
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const at = place(now);
  const inADay = place(new Date(now.getTime() + 86_400_000));
  const epoch = (text: string) =>
    inDialect(tx, {
      sqlite: `((julianday(${text}) - 2440587.5) * 86400)`,
      postgres: `extract(epoch from ${text})`,
    });
  const planned = `from fqdn_standings s where ${isPlanned} and s.provider_id is not null
    and s.expires_at > ${at} ${inSpaces(scope, place)}`;
  const tooLate = (pace: 'direct' | 'order') =>
    `cast(floor(min(${epoch('expires_at')} - place / ${renewalsPerSecond[pace]})) as bigint)`;
  const text = `with planned as (
      select s.provider_id, s.expires_at, s.renew_at,
        row_number() over (partition by s.provider_id order by s.expires_at, s.id) as place ${planned}),
    hours as (
      select provider_id, count(*) as due from planned
      group by provider_id, floor(${epoch(`case when renew_at < ${at} then ${at} else renew_at end`)} / 3600))
    select provider_id, ${tooLate('direct')} as first_too_late_direct, ${tooLate('order')} as first_too_late_order,
      sum(case when renew_at <= ${inADay} then 1 else 0 end) as due_in24h,
      (select max(h.due) from hours h where h.provider_id = planned.provider_id) as peak_per_hour
    from planned group by provider_id order by provider_id`;
  return querySql<ProviderRow>(tx, rowColumns, text, values);
}

/** A certificate that ends. */
export interface EndingRow {
  readonly id: string;
  readonly spaceId: string;
  readonly fqdn: string;
  readonly expiresAt: Date;
}

export const endingColumns = {
  id: column.uuid(),
  spaceId: column.uuid(),
  fqdn: column.word(253),
  expiresAt: column.instant(),
};

/** The certificate that ends first of those that are to be renewed with a provider. */
export async function findFirstLoss(
  tx: Tx,
  providerId: string,
  scope: SpaceScope,
  now: Date,
): Promise<EndingRow | undefined> {
  const values: SqlValue[] = [];
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const text = `select s.id, s.space_id, s.fqdn, s.expires_at from fqdn_standings s
    where s.expires_at > ${place(now)} and ${isPlanned} and s.provider_id = ${place(providerId)}
      ${inSpaces(scope, place)}
    order by s.expires_at, s.id limit 1`;
  return (await querySql<EndingRow>(tx, endingColumns, text, values))[0];
}

/**
 * When the newest certificate that began last, of those that a provider issued, was stored. Nearly all FQDNs of a
 * provider have a certificate of it, so the certificates of the newest `slice` are looked up first, by index: to look up
 * all before sorting takes half a second for 50,000.
 */
export async function findLastIssuedAt(
  tx: Tx,
  providerId: string,
  scope: SpaceScope,
  slice = 100,
): Promise<Date | undefined> {
  for (const limit of [`limit ${slice}`, '']) {
    const values: SqlValue[] = [];
    const place = (value: SqlValue) => `$${values.push(value)}`;
    const provider = place(providerId);
    const newest = `select s.id, s.certificate_id, s.not_before from fqdn_standings s
      where s.provider_id = ${provider} and s.certificate_id is not null ${inSpaces(scope, place)}
      order by s.not_before desc, s.id desc ${limit}`;
    // SQLite reads the left side of a cross join first
    const text = `select c.created_at from (${newest}) n cross join certificates c
      where c.id = n.certificate_id and c.provider_id = ${provider} order by n.not_before desc, n.id desc limit 1`;
    const [found] = await querySql(tx, { createdAt: column.instant() }, text, values);
    if (found !== undefined) return found.createdAt;
  }
  return undefined;
}

/** SQL that leaves only FQDNs of the spaces. */
export function inSpaces(scope: SpaceScope, place: (value: SqlValue) => string): string {
  return scope === 'all' ? '' : `and s.space_id in (${scope.map(place).join(', ') || 'null'})`;
}

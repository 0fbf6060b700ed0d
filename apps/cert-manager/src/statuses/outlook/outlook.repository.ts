import { column, inDialect, querySql, type RowOf, type SqlValue, type Tx } from '@certloop/db';
import type { SpaceScope } from '../../spaces/spaces.repository.js';
import { isPlanned } from '../statuses.repository.js';
import type { ProviderRate } from './outlook.js';

const rowColumns = {
  providerId: column.uuid(),
  /** The least of each end minus what the renewals up to it take, in seconds since 1970. */
  firstTooLate: column.bigint(),
  dueIn24h: column.bigint(),
  /** How many of these have a certificate that is not from the provider. */
  newIn24h: column.bigint(),
  peakPerHour: column.bigint(),
};

/** Plans with a provider in the spaces. */
export type ProviderRow = RowOf<{ columns: typeof rowColumns }>;

/** The providers with whom renewals are planned of certificates that have not ended; each has a rate. */
export async function readProviderPlans(
  tx: Tx,
  { scope, now, rates }: { scope: SpaceScope; now: Date; rates: readonly ProviderRate[] },
): Promise<ProviderRow[]> {
  if (rates.length === 0) return [];
  const values: SqlValue[] = [];
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const at = place(now);
  const inADay = place(new Date(now.getTime() + 86_400_000));
  const epoch = (text: string) =>
    inDialect(tx, {
      sqlite: `((julianday(${text}) - 2440587.5) * 86400)`,
      postgres: `extract(epoch from ${text})`,
    });
  const later = inDialect(tx, { sqlite: 'max', postgres: 'greatest' });
  const ids = rates.map(({ providerId }) => place(providerId));
  const seconds = (of: (rate: ProviderRate) => number) =>
    `case provider_id ${rates.map((rate, index) => `when ${ids[index]} then ${of(rate)}`).join(' ')} end`;
  const taken = `${later}(place * ${seconds(({ renewalSeconds }) => renewalSeconds)},
    new_place * ${seconds(({ newOrderSeconds }) => newOrderSeconds)})`;
  const text = `with found as (
      select s.provider_id, s.expires_at, s.renew_at, s.id, case when c.provider_id = s.provider_id then 0 else 1 end as is_new
      from fqdn_standings s left join certificates c on c.id = s.certificate_id
      where ${isPlanned} and s.provider_id in (${ids.join(', ')}) and s.expires_at > ${at} ${inSpaces(scope, place)}),
    planned as (
      select provider_id, expires_at, renew_at, is_new, row_number() over in_order as place, sum(is_new) over in_order as new_place
      from found window in_order as (partition by provider_id order by expires_at, id)),
    hours as (
      select provider_id, count(*) as due from planned
      group by provider_id, floor(${epoch(`case when renew_at < ${at} then ${at} else renew_at end`)} / 3600))
    select provider_id, cast(floor(min(${epoch('expires_at')} - ${taken})) as bigint) as first_too_late,
      sum(case when renew_at <= ${inADay} then 1 else 0 end) as due_in24h,
      sum(case when renew_at <= ${inADay} then is_new else 0 end) as new_in24h,
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

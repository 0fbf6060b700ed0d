import { column, inDialect, querySql, type Tx } from '@certloop/db';
import { certificates } from '../certificates/certificates.repository.js';
import { inUse } from '../certificates/in-use.js';

/**
 * Certificates in use that are looked at, of those that expire next and of those that expired last: SQLite keeps the
 * process itself busy in the meantime.
 */
const maxCertificates = { sqlite: 20_000, postgres: 100_000 };

/** The time between two moments, to be compared with another such time; `now` is the current moment, given as $1. */
const timeSql = {
  sqlite: {
    span: (until: string, from: string) => `(julianday(${until}) - julianday(${from}))`,
    now: '$1',
  },
  postgres: { span: (until: string, from: string) => `(${until} - ${from})`, now: '$1::timestamptz' },
};

/** Spaces that have a value of their own, those with the earliest expiry first. */
export const maxSpaces = 50;

/** How soon the certificates in use of a space expire; `within…` counts from now on, each without the one before. */
export interface SpaceExpiry {
  readonly spaceId: string;
  readonly space: string;
  readonly soonest: Date;
  readonly expired: number;
  readonly within7Days: number;
  readonly within30Days: number;
  readonly within90Days: number;
  readonly later: number;
}

const dayMs = 86_400_000;
export const inDays = (now: Date, days: number) => new Date(now.getTime() + days * dayMs);

/**
 * Certificates in use, at most one of each FQDN, as rows of `fqdn_id` and `expires_at`: what expires after $1, and what
 * expired between $2 and $1.
 */
export function certificatesInUse(tx: Tx): string {
  const limit = inDialect(tx, maxCertificates);
  const some = (condition: string) => `select fqdn_id, expires_at from certificates
    where ${inUse} and ${condition} limit ${limit}`;
  return `select * from (${some('expires_at > $1 order by expires_at')}) next
    union all
    select * from (${some('expires_at > $2 and expires_at <= $1 order by expires_at desc')}) past`;
}

/**
 * Expiry by space of the certificates in use. What expired more than 30 days ago is of no concern any
 * more.
 */
export async function listSpaceExpiry(tx: Tx, now: Date): Promise<SpaceExpiry[]> {
  const text = `select f.space_id, s.name as space, min(c.expires_at) as soonest,
      count(case when c.expires_at <= $1 then 1 end) as expired,
      count(case when c.expires_at > $1 and c.expires_at <= $3 then 1 end) as within7_days,
      count(case when c.expires_at > $3 and c.expires_at <= $4 then 1 end) as within30_days,
      count(case when c.expires_at > $4 and c.expires_at <= $5 then 1 end) as within90_days,
      count(case when c.expires_at > $5 then 1 end) as later
    from (${certificatesInUse(tx)}) c
    join fqdns f on f.id = c.fqdn_id join spaces s on s.id = f.space_id
    group by f.space_id, s.name order by min(c.expires_at) limit ${maxSpaces}`;
  const bounds = [now, inDays(now, -30), inDays(now, 7), inDays(now, 30), inDays(now, 90)];
  return querySql(tx, expiryColumns, text, bounds);
}

const expiryColumns = {
  spaceId: column.uuid(),
  space: column.text(),
  soonest: certificates.columns.expiresAt,
  expired: column.bigint(),
  within7Days: column.bigint(),
  within30Days: column.bigint(),
  within90Days: column.bigint(),
  later: column.bigint(),
};

/** How many of something a space has. */
export interface SpaceCount {
  readonly spaceId: string;
  readonly space: string;
  readonly count: number;
}

/**
 * By space, the certificates in use that expire within 3 days and have less than a tenth of their lifetime left, or that expired within the last 30 days. So a certificate of six days
 * counts from its last 14 hours on. Up to 10 000 certificates.
 */
export async function listNearExpiry(tx: Tx, now: Date): Promise<SpaceCount[]> {
  const { span, now: current } = inDialect(tx, timeSql);
  const text = `select f.space_id, s.name as space, count(*) as count
    from (select fqdn_id from certificates
      where ${inUse} and expires_at > $2 and expires_at <= $3
        and ${span('expires_at', current)} * 10 < ${span('expires_at', 'not_before')}
      limit 10000) c
    join fqdns f on f.id = c.fqdn_id join spaces s on s.id = f.space_id
    group by f.space_id, s.name order by count(*) desc limit ${maxSpaces}`;
  const bounds = [now, inDays(now, -30), inDays(now, 3)];
  return querySql(tx, nearExpiryColumns, text, bounds);
}

const nearExpiryColumns = { spaceId: column.uuid(), space: column.text(), count: column.bigint() };

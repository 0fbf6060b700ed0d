import { column, inDialect, querySql, type SqlValue, type Tx } from '@certloop/db';
import type { SpaceScope } from '../../spaces/spaces.repository.js';
import { noDate } from '../statuses.repository.js';
import type { Timeline } from './expiry-timeline.js';
import { type EndingRow, endingColumns, inSpaces } from './outlook.repository.js';

/** How many certificates end on a day, in UTC, by what happens to them. */
export interface DayRow {
  /** As in 2026-03-01. */
  readonly day: string;
  readonly willRenew: number;
  readonly needsHand: number;
  readonly failing: number;
}

/** The days on which certificates end, of the timeline. */
export function readDays(tx: Tx, scope: SpaceScope, { start, end }: Timeline): Promise<DayRow[]> {
  const values: SqlValue[] = [start, end];
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const day = inDialect(tx, {
    sqlite: 'substr(s.expires_at, 1, 10)',
    postgres: "to_char(s.expires_at at time zone 'UTC', 'YYYY-MM-DD')",
  });
  const sum = (condition: string) => `sum(case when ${condition} then 1 else 0 end)`;
  const willRenew = "s.problem is null and s.outlook in ('planned', 'by_client')";
  const text = `select ${day} as day, ${sum(willRenew)} as will_renew,
      ${sum("s.problem is null and s.outlook not in ('planned', 'by_client')")} as needs_hand,
      ${sum('s.problem is not null')} as failing
    from fqdn_standings s where s.expires_at >= $1 and s.expires_at < $2 ${inSpaces(scope, place)}
    group by ${day}`;
  const columns = {
    day: column.text(),
    willRenew: column.bigint(),
    needsHand: column.bigint(),
    failing: column.bigint(),
  };
  return querySql<DayRow>(tx, columns, text, values);
}

/** How many certificates end before the timeline, and how many after it. */
export async function countBeside(
  tx: Tx,
  scope: SpaceScope,
  { start, end }: Timeline,
): Promise<{ readonly overdue: number; readonly later: number }> {
  const values: SqlValue[] = [start, end, noDate];
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const spaces = inSpaces(scope, place);
  const count = (condition: string) => `(select count(*) from fqdn_standings s where ${condition} ${spaces})`;
  const text = `select ${count('s.expires_at < $1')} as overdue,
    ${count('s.expires_at >= $2 and s.expires_at < $3')} as later`;
  const [row] = await querySql(tx, { overdue: column.bigint(), later: column.bigint() }, text, values);
  return { overdue: row?.overdue ?? 0, later: row?.later ?? 0 };
}

/** The certificates of the timeline, by when they end. */
export function listEnding(
  tx: Tx,
  scope: SpaceScope,
  { start, end }: Timeline,
  limit: number,
): Promise<EndingRow[]> {
  const values: SqlValue[] = [start, end];
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const text = `select s.id, s.space_id, s.fqdn, s.expires_at from fqdn_standings s
    where s.expires_at >= $1 and s.expires_at < $2 ${inSpaces(scope, place)}
    order by s.expires_at, s.id limit ${limit}`;
  return querySql<EndingRow>(tx, endingColumns, text, values);
}

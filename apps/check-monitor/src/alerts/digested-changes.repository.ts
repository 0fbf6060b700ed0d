import { capabilitiesOf, column, executeSql, querySql, type Tx } from '@certloop/db';
import type { Micros } from '../instants.js';
import type { AlertStatus } from '../integrations/messages/alert-event.js';
import { crashesAlone } from './ladder.js';
import type { CheckCounts, DigestedChange } from './notices.js';
import { notDue } from './turn-rows.repository.js';

const digestColumns = {
  checkId: column.bigint(),
  name: column.word(100),
  slug: column.word(100),
  kind: column.word(10),
  tz: column.word(36),
  status: column.word<AlertStatus>(6),
  at: column.preciseInstant(),
};

/** Changes that the digest of a turn reports, oldest first. */
export async function listDigestedChanges(tx: Tx, turnId: string | null): Promise<readonly DigestedChange[]> {
  // a join would make PostgreSQL read all flips where it has no statistics
  const at = '(select at from flips where id = n.flip_id)';
  const text = `select n.check_id, c.name, c.slug, c.kind, c.tz, n.status, ${at} as at from notifications n
    join checks c on c.id = n.check_id where n.turn_id = $1 and n.flip_id is not null order by n.id`;
  const rows = await querySql(tx, digestColumns, text, [turnId]);
  return rows.map(({ kind, tz, ...row }) => ({ ...row, tz: kind === 'simple' ? 'UTC' : tz }));
}

// a message that waits for an earlier one about its check, and one that may crash its worker, are left
const isOpenTo = (alias: string) => `${alias}.channel_id = $3 and ${alias}.settled_at is null`;
const mayGo = (alias: string) => `${alias}.turn_id is null and coalesce(${alias}.crashes, 0) < ${crashesAlone}
  and (${alias}.due_at is null or ${alias}.due_at <= $1 or ${alias}.due_at > $2)`;
// compares with the smallest id, since PostgreSQL would compare each message with each other one for "not exists"
const mayFollow = `${isOpenTo('n')} and n.check_id is not null and ${mayGo('n')}
  and coalesce((select min(e.id) from notifications e where ${isOpenTo('e')}
    and e.check_id = n.check_id and not (${mayGo('e')})), n.id) >= n.id`;

/** Messages that wait behind those of a digest and that it can carry, too. */
export interface FurtherChanges extends CheckCounts {
  readonly channelId: number;
  /** When they waited. */
  readonly now: Micros;
  /** The newest of them; null if there is none. */
  readonly lastId: number | null;
}

/** Counts the checks of the messages that a digest to the channel can carry beyond its own. Reads all of them. */
export async function countFurtherChanges(tx: Tx, channelId: number, now: Micros): Promise<FurtherChanges> {
  const isLatest = `n.id = (select max(l.id) from notifications l where ${isOpenTo('l')}
    and l.check_id = n.check_id and ${mayGo('l')})`;
  const text = `select max(n.id) as last_id, count(case when n.status = 'down' then 1 end) as down,
      count(case when n.status <> 'down' then 1 end) as up
    from notifications n where ${mayFollow} and ${isLatest}`;
  const columns = { lastId: column.bigint().nullable(), down: column.bigint(), up: column.bigint() };
  const [found] = await querySql(tx, columns, text, [...notDue({ now }), channelId]);
  return { channelId, now, lastId: null, down: 0, up: 0, ...found };
}

/** Settles at most `limit` messages that a delivered digest has counted, oldest first; returns how many. */
export async function settleFurtherChanges(
  tx: Tx,
  { channelId, now, lastId }: FurtherChanges,
  {
    carriedBy,
    settledAt,
    limit,
  }: { readonly carriedBy: string; readonly settledAt: Micros; readonly limit: number },
): Promise<number> {
  if (lastId === null) return 0;
  const lock = capabilitiesOf(tx).hasConcurrentWriters ? 'for update of n skip locked' : '';
  const text = `update notifications set attempt = attempt + 1, error = null, settled_at = $5, carried_by = $6
    where id in (select n.id from notifications n where ${mayFollow} and n.id <= $4
      order by n.id limit ${limit} ${lock})`;
  return executeSql(tx, text, [...notDue({ now }), channelId, lastId, settledAt, carriedBy]);
}

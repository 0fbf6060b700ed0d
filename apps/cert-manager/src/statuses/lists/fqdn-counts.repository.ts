import type { FqdnCounts } from '@certloop/contracts';
import { column, placeholders, querySql, type SqlValue, type Tx } from '@certloop/db';
import { noDate } from '../statuses.repository.js';
import { conditionsOf, type FqdnFilter, whereOf } from './fqdn-list.repository.js';

/**
 * Counts of the FQDNs that are wanted. Each is read from an index of its own, so that the costs grow with what is wrong,
 * but for the total.
 */
export async function countStates(
  tx: Tx,
  filter: Pick<FqdnFilter, 'scope' | 'q'>,
  now: Date,
): Promise<FqdnCounts> {
  const values: SqlValue[] = [];
  const common = conditionsOf(filter, { space: 's.space_id', now }, values);
  // no index has a part of a name, so that one reading of all rows is the least
  const counted = countedWhere(now, values);
  const text = filter.q === undefined ? countsIn(common, counted) : sumsIn(common, counted);
  const [row] = await querySql(tx, countColumns, `select ${text}`, values);
  return withValid(row ?? {});
}

/** Counts of a space, and when the first certificate there ends that has not. */
export interface SpaceCounts extends FqdnCounts {
  readonly id: string;
  readonly nextExpiry: Date | null;
}

/** The counts of spaces; at least one is asked for. */
export async function countStatesOfSpaces(
  tx: Tx,
  spaceIds: readonly string[],
  now: Date,
): Promise<SpaceCounts[]> {
  const values: SqlValue[] = [];
  const counted = countedWhere(now, values).filter(([name]) => name !== 'total');
  const counts = countsIn(['s.space_id = p.id'], counted);
  // a space that an earlier version created has no stored size until the next sweep
  const total = `coalesce((select z.fqdn_count from space_sizes z where z.space_id = p.id),
    (select count(*) from fqdns f where f.space_id = p.id)) as total`;
  const [at, end] = [`$${values.push(now)}`, `$${values.push(noDate)}`];
  const ids = placeholders(spaceIds.length, values.length + 1);
  // the least of what an index has from there on
  const next = `(select min(n.expires_at) from fqdn_standings n
    where n.space_id = p.id and n.expires_at > ${at} and n.expires_at < ${end})`;
  const text = `select p.id, ${next} as next_expiry, ${total}, ${counts} from spaces p where p.id in (${ids})`;
  const columns = { ...countColumns, id: column.uuid(), nextExpiry: column.instant().nullable() };
  const rows = await querySql(tx, columns, text, [...values, ...spaceIds]);
  return rows.map((row) => ({ ...withValid(row), id: row.id, nextExpiry: row.nextExpiry }));
}

/** SQL of the counts of what meets the conditions, each by an index. */
function countsIn(common: readonly string[], counted: readonly Counted[]): string {
  const counts = counted.map(([name, conditions]) => {
    const where = whereOf([...common, ...conditions]);
    return `(select count(*) from fqdn_standings s ${where}) as ${name}`;
  });
  return counts.join(', ');
}

/** The same by one reading of all rows. */
function sumsIn(common: readonly string[], counted: readonly Counted[]): string {
  const sums = counted.map(
    ([name, conditions]) =>
      `coalesce(sum(case when ${['1 = 1', ...conditions].join(' and ')} then 1 else 0 end), 0) as ${name}`,
  );
  return `${sums.join(', ')} from fqdn_standings s ${whereOf(common)}`;
}

/** A number, and the conditions on what it counts in addition to the common ones. */
type Counted = readonly [name: string, conditions: readonly string[]];

/** All that is counted; its values are added to `values`. */
function countedWhere(now: Date, values: SqlValue[]): Counted[] {
  const [at, end] = [`$${values.push(now)}`, `$${values.push(noDate)}`];
  return [
    ['total', []],
    ['needs_you', [`s.attention_at <= ${at}`]],
    ['unfinished', ['s.certificate_id is null']],
    ['expired', [`s.expires_at <= ${at}`]],
    ['failing', ['s.problem is not null', `s.expires_at > ${at}`, `s.expires_at < ${end}`]],
    ['due', ['s.problem is null', `s.attention_at <= ${at}`, `s.expires_at > ${at}`]],
  ];
}

/**
 * Adds the valid FQDNs, which are in no other state. A stored total may be too small for a minute during an upgrade.
 */
function withValid({
  total: stored = 0,
  needsYou = 0,
  unfinished = 0,
  expired = 0,
  failing = 0,
  due = 0,
}: Partial<Omit<FqdnCounts, 'valid'>>): FqdnCounts {
  const others = unfinished + expired + failing + due;
  const total = Math.max(stored, others);
  const valid = total - others;
  return { total, needsYou, unfinished, valid, due, failing, expired };
}

const countColumns = {
  total: column.bigint(),
  needsYou: column.bigint(),
  unfinished: column.bigint(),
  expired: column.bigint(),
  failing: column.bigint(),
  due: column.bigint(),
};

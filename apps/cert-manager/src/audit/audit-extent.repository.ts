import { capabilitiesOf, column, querySql, type RowOf, type SqlValue, type Tx } from '@certloop/db';
import type { AuditEnds, TransactionHorizon } from './search/audit-stretches.js';

const extentColumns = {
  count: column.bigint(),
  firstSeq: column.bigint().nullable(),
  lastSeq: column.bigint().nullable(),
};

/** Extent of the log: how many entries, from which position to which. */
export type AuditExtent = RowOf<{ columns: typeof extentColumns }>;

export async function measureAuditLogs(tx: Tx): Promise<AuditExtent> {
  const text = 'select count(*) as count, min(id) as first_seq, max(id) as last_seq from audit_logs';
  const [extent] = await querySql(tx, extentColumns, text);
  return extent ?? { count: 0, firstSeq: null, lastSeq: null };
}

/** Positions of the oldest and of the newest entry; undefined if there is none. */
export async function findAuditEnds(tx: Tx): Promise<AuditEnds | undefined> {
  // two ways into the index: asked for both at once, SQLite reads the whole of it
  const text = `select (select min(id) from audit_logs) as first, (select max(id) from audit_logs) as last`;
  return readEnds(tx, text, []);
}

/** The ends of which the statement returns the positions as `first` and `last`; undefined if it finds none. */
export async function readEnds(
  tx: Tx,
  text: string,
  values: readonly SqlValue[],
): Promise<AuditEnds | undefined> {
  const columns = { first: column.bigint().nullable(), last: column.bigint().nullable() };
  const [ends] = await querySql(tx, columns, text, values);
  if (ends === undefined || ends.first === null || ends.last === null) return undefined;
  return { first: ends.first, last: ends.last };
}

/** Undefined where a writer is alone. */
export async function findHorizon(tx: Tx): Promise<TransactionHorizon | undefined> {
  if (!capabilitiesOf(tx).hasConcurrentWriters) return undefined;
  const text = `select pg_snapshot_xmin(s)::text as oldest, pg_snapshot_xmax(s)::text as next
    from pg_current_snapshot() s`;
  const [horizon] = await querySql(tx, { oldest: column.bigint(), next: column.bigint() }, text);
  return horizon;
}

import { capabilitiesOf, column, querySql, type Tx } from '@certloop/db';
import type { TransactionHorizon } from './search/audit-stretches.js';

/** Extent of the log: how many entries, from which position to which. */
export interface AuditExtent {
  readonly count: number;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
}

export async function measureAuditLogs(tx: Tx): Promise<AuditExtent> {
  const columns = {
    count: column.bigint(),
    firstSeq: column.bigint().nullable(),
    lastSeq: column.bigint().nullable(),
  };
  const [extent] = await querySql<AuditExtent>(
    tx,
    columns,
    'select count(*) as count, min(id) as first_seq, max(id) as last_seq from audit_logs',
  );
  return extent ?? { count: 0, firstSeq: null, lastSeq: null };
}

/** Positions of the oldest and of the newest entry; undefined if there is none. */
export async function findAuditEnds(
  tx: Tx,
): Promise<{ readonly first: number; readonly last: number } | undefined> {
  // two ways into the index: asked for both at once, SQLite reads the whole of it
  const text = `select (select min(id) from audit_logs) as first, (select max(id) from audit_logs) as last`;
  const columns = { first: column.bigint().nullable(), last: column.bigint().nullable() };
  const [ends] = await querySql<{ first: number | null; last: number | null }>(tx, columns, text);
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

import { capabilitiesOf, column, querySql, type Tx } from '@certloop/db';
import { auditLogs } from './audit.repository.js';
import { auditCondition } from './search/audit-condition.repository.js';
import type { AuditScope } from './search/audit-filter.js';

/** Where the log stands for those who follow it. */
export interface ChangeEnds {
  /** Position of the newest entry, also of one that was cleared; 0 when there never was one. */
  readonly last: number;
  /** Up to this position no further entry can come to light. */
  readonly settled: number;
  /** Position of the newest entry that was cleared, 0 for none. */
  readonly cleared: number;
}

/** `settledBefore` is a moment so long ago that all transactions of then have ended. */
export async function findChangeEnds(tx: Tx, settledBefore: Date): Promise<ChangeEnds> {
  const text = `select (select max(id) from audit_logs) as last,
    (select max(last_seq) from audit_clearings) as cleared`;
  const columns = { last: column.bigint().nullable(), cleared: column.bigint().nullable() };
  const [ends] = await querySql(tx, columns, text);
  const cleared = ends?.cleared ?? 0;
  const last = Math.max(ends?.last ?? 0, cleared);
  if (!capabilitiesOf(tx).hasConcurrentWriters) return { last, settled: last, cleared };
  const old = `select id from audit_logs where timestamp <= $1 order by id desc limit 1`;
  const [settled] = await querySql(tx, { id: column.bigint() }, old, [settledBefore]);
  return { last, settled: Math.max(settled?.id ?? 0, cleared), cleared };
}

interface ChangedRow {
  readonly id: number;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly spaceId: string | null;
  /** The FQDN that the entry is about, where it names one. */
  readonly fqdnId: string | null;
}

/** What the scope shows of the entries after a position, oldest first, at most `limit`. */
export async function listChangedRows(
  tx: Tx,
  scope: AuditScope,
  since: number,
  limit: number,
): Promise<ChangedRow[]> {
  const condition = auditCondition(scope, {}, 'position');
  condition.add((at) => `id > ${at(since)}`);
  const { id, resourceType, resourceId, spaceId } = auditLogs.columns;
  const columns = { id, resourceType, resourceId, spaceId, fqdnId: column.uuid().nullable() };
  const fqdnId = `case when resource_type = 'fqdn' then cast(resource_id as varchar(36))
    else details ->> 'fqdnId' end`;
  const text = `select id, resource_type, resource_id, space_id, ${fqdnId} as fqdn_id
    from audit_logs ${condition.where()} order by id limit ${limit}`;
  return querySql<ChangedRow>(tx, columns, text, condition.values);
}

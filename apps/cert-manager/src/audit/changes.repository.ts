import { capabilitiesOf, column, querySql, type RowOf, type Tx } from '@certloop/db';
import { auditLogs } from './audit.repository.js';
import { auditCondition } from './search/audit-condition.repository.js';
import type { AuditScope } from './search/audit-filter.js';

/** Positions of the log for clients that follow it. */
export interface ChangeEnds {
  /** Position of the newest entry, also of a cleared one; 0 if there never was one. */
  readonly last: number;
  /** No new entry can still appear up to this position. */
  readonly settled: number;
  /** Position of the newest entry that was cleared, 0 for none. */
  readonly cleared: number;
}

/** All transactions that began before `settledBefore` must have ended. */
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

const { id, resourceType, resourceId, spaceId } = auditLogs.columns;
const changedColumns = {
  id,
  resourceType,
  resourceId,
  spaceId,
  /** The FQDN that the entry is about; null if it is about none. */
  fqdnId: column.uuid().nullable(),
};

/** Entries of the scope after the position `since`, oldest first, at most `limit`. */
export async function listChangedRows(
  tx: Tx,
  scope: AuditScope,
  since: number,
  limit: number,
): Promise<RowOf<{ columns: typeof changedColumns }>[]> {
  const condition = auditCondition(scope, {}, 'position');
  condition.add((at) => `id > ${at(since)}`);
  const fqdnId = `case when resource_type = 'fqdn' then cast(resource_id as varchar(36))
    else details ->> 'fqdnId' end`;
  const text = `select id, resource_type, resource_id, space_id, ${fqdnId} as fqdn_id
    from audit_logs ${condition.where()} order by id limit ${limit}`;
  return querySql(tx, changedColumns, text, condition.values);
}

import type { AuditExportQuery } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { findLastSeq } from './audit.repository.js';
import { recordAudit } from './audit.service.js';
import { auditWriters } from './audit-export.js';
import { type AuditFilter, auditFilterOf, auditScopeOf } from './audit-filter.js';
import { findAuditRows } from './audit-list.repository.js';
import type { AuditLogDeps } from './audit-log.service.js';
import { auditView } from './audit-view.js';

/** An export under way. */
export interface AuditExport {
  readonly contentType: string;
  readonly fileName: string;
  /** Made only while somebody takes them. */
  readonly pieces: AsyncIterable<string>;
}

/**
 * Everything of the log that the caller may see and the filters let through, as it stands now; that it is
 * exported is kept in the log first, and not part of it. Throws InvalidInput.
 */
export async function exportAuditLogs(
  deps: AuditLogDeps,
  caller: Caller,
  query: AuditExportQuery,
): Promise<AuditExport> {
  const { db, clock, denials } = deps;
  const filter = auditFilterOf(query, caller);
  await denials.flush();
  const upTo = await db.transaction(async (tx) => {
    const last = await findLastSeq(tx);
    const entry = { action: 'audit.export', resourceType: 'audit-log', details: { ...query } } as const;
    await recordAudit(tx, caller, entry, clock.now());
    return last;
  });
  const { contentType, fileName } = auditWriters[query.format];
  return { contentType, fileName, pieces: piecesOf(deps, caller, { query, filter, upTo }) };
}

const entriesAtOnce = 500;

interface Task {
  readonly query: AuditExportQuery;
  readonly filter: AuditFilter;
  /** Position of the last entry that is meant; 0 when there is none. */
  readonly upTo: number;
}

async function* piecesOf({ db }: AuditLogDeps, caller: Caller, task: Task): AsyncGenerator<string> {
  const { query, filter, upTo } = task;
  const { head, line } = auditWriters[query.format];
  const scope = auditScopeOf(caller);
  const { order } = query;
  yield head;
  for (let { after } = query; ; ) {
    const window = { order, limit: entriesAtOnce, offset: 0, upTo, ...(after !== undefined && { after }) };
    const rows = await db.read((tx) => findAuditRows(tx, scope, filter, window));
    if (rows.length > 0) yield rows.map((row) => line(auditView(row, caller))).join('');
    if (rows.length < entriesAtOnce) return;
    after = rows.at(-1)?.id;
  }
}

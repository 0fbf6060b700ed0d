import { type AuditLogsPage, type AuditLogsQuery, Forbidden } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import type { DbDeps } from '../db-deps.js';
import { deleteAuditLogsTo, insertAuditClearing, listClearingRows } from './audit.repository.js';
import { recordAudit } from './audit.service.js';
import type { AuditClearingRow } from './audit-entry.js';
import { type AuditExtent, measureAuditLogs } from './audit-extent.repository.js';
import { findAuditPage } from './audit-list.repository.js';
import { auditView } from './audit-view.js';
import type { Denials } from './denials.service.js';
import type { RunningExports } from './export/running-exports.store.js';
import type { AuditCounts } from './search/audit-counts.store.js';
import { auditFilterOf, auditScopeOf } from './search/audit-filter.js';
import { searchAuditLogs } from './search/search-audit-logs.service.js';

export interface AuditLogDeps extends DbDeps {
  readonly logger: Logger;
  readonly denials: Denials;
  readonly counts: AuditCounts;
  /** Limits how many callers search the log for a text at once. */
  readonly limitSearches: <T>(search: () => Promise<T>) => Promise<T>;
  readonly exports: RunningExports;
  /** Whether administrators may empty the log. */
  readonly mayDelete: boolean;
}

/**
 * A page of the entries that the caller may see. Throws InvalidInput, and too_many_requests if too many callers search for
 * a text at once.
 */
export async function listAuditLogs(
  { db, denials, counts, limitSearches }: AuditLogDeps,
  caller: Caller,
  query: AuditLogsQuery,
  signal: AbortSignal,
): Promise<AuditLogsPage> {
  const filter = auditFilterOf(query, caller);
  const { order, limit, offset, after } = query;
  const window = { order, limit, offset, ...(after !== undefined && { after }) };
  await denials.flush();
  const scope = auditScopeOf(caller);
  const read = () => db.longRead((tx) => findAuditPage(tx, counts, scope, { filter, window }));
  const search = () =>
    db.dialect.capabilities.isEmbedded ? searchAuditLogs(db, scope, { filter, window }, signal) : read();
  const { rows, total } = await (filter.text === undefined ? read() : limitSearches(search));
  return { logs: rows.map((row) => auditView(row, caller)), total, limit, offset };
}

/**
 * Empties the audit log. A separate table and the log of the service record who did so, when, and how many entries there
 * were. Throws Forbidden if the caller is not an administrator, or if the configuration does not allow it.
 */
export async function clearAuditLogs(
  { db, clock, logger, denials, mayDelete }: AuditLogDeps,
  caller: Caller,
): Promise<AuditExtent> {
  requireAdmin(caller);
  if (!mayDelete) {
    throw new Forbidden('the audit log of this service may not be emptied', {
      code: 'audit_delete_denied',
      title: 'Audit log cannot be emptied',
    });
  }
  const { userId, username, ipAddress } = caller;
  const extent = await db.longTransaction(async (tx) => {
    const deleted = await deleteAll(tx);
    await insertAuditClearing(tx, { ...deleted, at: clock.now(), userId, username, ipAddress });
    return deleted;
  });
  denials.forget();
  logger.warn({ ...extent, userId, username }, 'audit.cleared');
  return extent;
}

/** Deletes every entry and returns what there was. Of two calls at once, the second one finds nothing. */
async function deleteAll(tx: Tx): Promise<AuditExtent> {
  const extent = await measureAuditLogs(tx);
  const count = extent.lastSeq === null ? 0 : await deleteAuditLogsTo(tx, extent.lastSeq);
  return count === 0 ? { count, firstSeq: null, lastSeq: null } : { ...extent, count };
}

/** Every emptying of the log, oldest first. Throws Forbidden. */
export async function listAuditClearings(
  { db }: Pick<AuditLogDeps, 'db'>,
  caller: Caller,
): Promise<AuditClearingRow[]> {
  requireAdmin(caller);
  return db.read(listClearingRows);
}

/** Writes an entry that is about no change, to test the log. Throws Forbidden. */
export async function createTestAuditLog({ db, clock }: AuditLogDeps, caller: Caller): Promise<void> {
  requireAdmin(caller);
  const entry = { action: 'audit.test', resourceType: 'audit-log' } as const;
  await db.transaction((tx) => recordAudit(tx, caller, entry, clock.now()));
}

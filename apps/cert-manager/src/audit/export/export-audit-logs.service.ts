import type { AuditExportQuery } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { findLastSeq } from '../audit.repository.js';
import { recordAudit } from '../audit.service.js';
import type { AuditLogRow } from '../audit-entry.js';
import { findAuditRows } from '../audit-list.repository.js';
import type { AuditLogDeps } from '../audit-log.service.js';
import { auditView } from '../audit-view.js';
import { type AuditFilter, auditFilterOf, auditScopeOf } from '../search/audit-filter.js';
import { beginAuditSearch } from '../search/audit-search.repository.js';
import type { AuditEnds } from '../search/audit-stretches.js';
import { auditStretches } from '../search/audit-stretches.js';
import { auditWriters } from './audit-export.js';
import { followPieces } from './running-exports.store.js';

/** An export under way. */
export interface AuditExport {
  readonly contentType: string;
  readonly fileName: string;
  /** Made only while someone takes them. */
  readonly pieces: AsyncIterable<string>;
}

/**
 * Everything of the log that the caller may see and the filters let through, as it stands now; that it is
 * exported is logged first, and not part of it. Throws InvalidInput, and too_many_requests while another
 * export of the caller's runs in this process: it ends when its pieces are all taken or its taker goes away.
 */
export async function exportAuditLogs(
  deps: AuditLogDeps,
  caller: Caller,
  query: AuditExportQuery,
): Promise<AuditExport> {
  const { db, clock, denials, exports } = deps;
  const filter = auditFilterOf(query, caller);
  const end = exports.begin(caller.userId);
  try {
    await denials.flush();
    const upTo = await db.transaction(async (tx) => {
      const last = await findLastSeq(tx);
      const entry = { action: 'audit.export', resourceType: 'audit-log', details: { ...query } } as const;
      await recordAudit(tx, caller, entry, clock.now());
      return last;
    });
    const { contentType, fileName } = auditWriters[query.format];
    const pieces = piecesOf(deps, caller, { query, filter, upTo });
    return { contentType, fileName, pieces: followPieces(pieces, end) };
  } catch (error) {
    end();
    throw error;
  }
}

// some milliseconds of work each
const entriesAtOnce = 200;
const positionsAtOnce = 25_000;

interface Task {
  readonly query: AuditExportQuery;
  readonly filter: AuditFilter;
  /** Position of the last entry that is meant; 0 if there is none. */
  readonly upTo: number;
}

/** Goes through the log stretch by stretch, so that no statement reads long for what the filters rarely let through. */
async function* piecesOf({ db }: AuditLogDeps, caller: Caller, task: Task): AsyncGenerator<string> {
  const { query, upTo } = task;
  const { head, line } = auditWriters[query.format];
  const scope = auditScopeOf(caller);
  yield head;
  const { filter, ends } = await db.longRead((tx) => beginAuditSearch(tx, task.filter));
  for (const stretch of auditStretches(exported(ends, query, upTo), query.order, positionsAtOnce)) {
    let rows: AuditLogRow[] = [];
    do {
      const after = rows.at(-1)?.id;
      const window = { order: query.order, limit: entriesAtOnce, offset: 0, ...stretch };
      const rest = after === undefined ? window : { ...window, after };
      rows = await db.longRead((tx) => findAuditRows(tx, scope, filter, rest));
      if (rows.length > 0) yield rows.map((row) => line(auditView(row, caller))).join('');
    } while (rows.length === entriesAtOnce);
  }
}

/** The ends of what is exported; the first one lies behind the last one where there is nothing. */
function exported(ends: AuditEnds | undefined, { order, after }: AuditExportQuery, upTo: number): AuditEnds {
  if (ends === undefined) return { first: 1, last: 0 };
  const { first, last } = { ...ends, last: Math.min(ends.last, upTo) };
  if (after === undefined) return { first, last };
  return order === 'asc'
    ? { first: Math.max(first, after + 1), last }
    : { first, last: Math.min(last, after - 1) };
}

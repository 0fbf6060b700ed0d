import type { Database } from '@certloop/db';
import type { AuditLogRow } from '../audit-entry.js';
import { type AuditPage, type AuditWindow, findAuditRows } from '../audit-list.repository.js';
import type { AuditFilter, AuditScope } from './audit-filter.js';
import { type AuditHits, beginAuditSearch, countHits } from './audit-search.repository.js';
import type { AuditStretch } from './audit-stretches.js';
import { auditStretches } from './audit-stretches.js';

// some tens of milliseconds for a database to read through
const positionsAtOnce = 25_000;

/**
 * A page of the entries that a filter with a text lets through. No index finds a text within the details: the log is
 * read stretch by stretch, each by a transaction of its own, so that nothing else waits for the whole of it. Ends when
 * `signal` is aborted.
 */
export async function searchAuditLogs(
  db: Database,
  scope: AuditScope,
  { filter, window }: { readonly filter: AuditFilter; readonly window: AuditWindow },
  signal: AbortSignal,
): Promise<AuditPage> {
  const { filter: meant, ends } = await db.longRead((tx) => beginAuditSearch(tx, filter));
  const page = new PageInMaking(window);
  if (ends === undefined) return page;
  const { order, after } = window;
  for (const stretch of auditStretches(ends, order, positionsAtOnce)) {
    signal.throwIfAborted();
    await db.longRead(async (tx) => {
      const wanted = page.wantedOf(await countHits(tx, scope, meant, { stretch, after, order }), stretch);
      if (wanted !== undefined) page.rows.push(...(await findAuditRows(tx, scope, meant, wanted)));
    });
  }
  return page;
}

/** Finds out which of the hits of each stretch belong to the page. */
class PageInMaking implements AuditPage {
  readonly rows: AuditLogRow[] = [];
  total = 0;
  private readonly window: AuditWindow;
  private toSkip: number;

  constructor(window: AuditWindow) {
    this.window = window;
    this.toSkip = window.offset;
  }

  /** The window on the stretch, once its hits are counted; undefined where none of them is on the page. */
  wantedOf({ total, beyond }: AuditHits, stretch: AuditStretch): AuditWindow | undefined {
    const offset = this.toSkip;
    const limit = this.window.limit - this.rows.length;
    this.total += total;
    this.toSkip = Math.max(0, offset - beyond);
    return limit > 0 && beyond > offset ? { ...this.window, ...stretch, offset, limit } : undefined;
  }
}

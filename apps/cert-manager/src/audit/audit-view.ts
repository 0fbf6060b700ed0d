import type { AuditClearing, AuditLog } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import type { AuditClearingRow, AuditLogRow } from './audit-entry.js';

/** An entry as the caller sees it: where others were when they acted is for administrators only. */
export function auditView(row: AuditLogRow, caller: Caller): AuditLog {
  const showsPlace = caller.isAdmin || row.userId === caller.userId;
  return {
    id: row.entryId,
    action: row.action,
    resourceType: row.resourceType,
    resourceId: row.resourceId,
    userId: row.userId,
    username: row.username,
    details: row.details,
    ipAddress: showsPlace ? row.ipAddress : '',
    userAgent: showsPlace ? row.userAgent : '',
    timestamp: row.timestamp.toISOString(),
    seq: row.id,
  };
}

export function auditClearingView(row: AuditClearingRow): AuditClearing {
  return {
    at: row.at.toISOString(),
    count: row.count,
    firstSeq: row.firstSeq,
    lastSeq: row.lastSeq,
    userId: row.userId,
    username: row.username,
    ipAddress: row.ipAddress,
  };
}

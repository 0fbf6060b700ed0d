import { type AuditExportFormat, type AuditLog, csvLine } from '@certloop/contracts';

/** How an export is written. */
export interface AuditWriter {
  readonly contentType: string;
  readonly fileName: string;
  /** What stands before the first entry. */
  readonly head: string;
  readonly line: (entry: AuditLog) => string;
}

export const auditWriters: Readonly<Record<AuditExportFormat, AuditWriter>> = {
  jsonl: {
    contentType: 'application/x-ndjson',
    fileName: 'audit-logs.jsonl',
    head: '',
    line: (entry) => `${JSON.stringify(entry)}\n`,
  },
  csv: {
    contentType: 'text/csv; charset=utf-8',
    fileName: 'audit-logs.csv',
    head: csvLine([
      'seq',
      'timestamp',
      'action',
      'resourceType',
      'resourceId',
      'userId',
      'username',
      'ipAddress',
      'userAgent',
      'details',
      'id',
    ]),
    line: (entry) =>
      csvLine([
        String(entry.seq ?? ''),
        entry.timestamp,
        entry.action,
        entry.resourceType,
        entry.resourceId,
        entry.userId,
        entry.username,
        entry.ipAddress,
        entry.userAgent,
        JSON.stringify(entry.details),
        entry.id,
      ]),
  },
};

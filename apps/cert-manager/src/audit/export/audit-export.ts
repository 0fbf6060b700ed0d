import { type AuditExportFormat, type AuditLog, csvLine } from '@certloop/contracts';

/** Format of an export. */
export interface AuditWriter {
  readonly contentType: string;
  readonly fileName: string;
  /** Text before the first entry. */
  readonly head: string;
  readonly line: (entry: AuditLog) => string;
}

const columns: readonly (readonly [name: string, text: (entry: AuditLog) => string])[] = [
  ['seq', ({ seq }) => String(seq ?? '')],
  ['timestamp', ({ timestamp }) => timestamp],
  ['action', ({ action }) => action],
  ['resourceType', ({ resourceType }) => resourceType],
  ['resourceId', ({ resourceId }) => resourceId],
  ['userId', ({ userId }) => userId],
  ['username', ({ username }) => username],
  ['ipAddress', ({ ipAddress }) => ipAddress],
  ['userAgent', ({ userAgent }) => userAgent],
  ['details', ({ details }) => JSON.stringify(details)],
  ['id', ({ id }) => id],
];

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
    head: csvLine(columns.map(([name]) => name)),
    line: (entry) => csvLine(columns.map(([, text]) => text(entry))),
  },
};

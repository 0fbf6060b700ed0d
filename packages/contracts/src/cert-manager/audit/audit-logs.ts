import { z } from 'zod';
import { endpoint, json, stream } from '../../endpoint.js';
import * as scalars from '../../scalars.js';
import { messageSchema } from '../replies.js';

/** One act; `resourceId` and `userId` are the nil uuid if there is none. */
export const auditLogSchema = z
  .object({
    id: scalars.uuid,
    action: z.string(),
    resourceType: z.string(),
    resourceId: scalars.uuid,
    userId: scalars.uuid,
    username: z.string(),
    details: z.record(z.string(), z.unknown()),
    ipAddress: z.string(),
    userAgent: z.string(),
    timestamp: scalars.instant,
    /** Position in the log, rising; what `after` takes. */
    seq: z.int().optional(),
  })
  .meta({ id: 'AuditLog' });
export type AuditLog = z.output<typeof auditLogSchema>;

/** A page of the log; `total` counts what the filters let through. */
export const auditLogsPageSchema = z
  .object({
    logs: z.array(auditLogSchema),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  })
  .meta({ id: 'AuditLogsPage' });
export type AuditLogsPage = z.output<typeof auditLogsPageSchema>;

/** One emptying of the log: by whom, and what it held; the positions are null when it held nothing. */
export const auditClearingSchema = z
  .object({
    at: scalars.instant,
    count: z.int(),
    firstSeq: z.int().nullable(),
    lastSeq: z.int().nullable(),
    userId: scalars.uuid,
    username: z.string(),
    ipAddress: z.string(),
  })
  .meta({ id: 'AuditClearing' });
export type AuditClearing = z.output<typeof auditClearingSchema>;

// No database holds U+0000, and PostgreSQL refuses to be asked for it.
const filterText = scalars.searchText(1000).optional();

const auditLogsQuery = z.object({
  limit: scalars.queryInteger(1, 1000, 100),
  offset: scalars.queryInteger(0, Number.MAX_SAFE_INTEGER, 0),
  // An action's name, or its beginning followed by `*`.
  action: filterText,
  resourceType: filterText,
  resourceId: scalars.uuid.optional(),
  userId: scalars.uuid.optional(),
  username: filterText,
  spaceId: scalars.uuid.optional(),
  // An address, or a range in CIDR notation.
  ipAddress: z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).optional(),
  outcome: filterText,
  from: scalars.instant.optional(),
  to: scalars.instant.optional(),
  // Text within the details.
  q: filterText,
  order: z.enum(['asc', 'desc']).default('desc'),
  after: scalars.optionalQueryInteger(0, Number.MAX_SAFE_INTEGER),
});
export type AuditLogsQuery = z.output<typeof auditLogsQuery>;

/** Forms of an export: one JSON object a line, or comma-separated values (RFC 4180). */
export const auditExportFormats = ['jsonl', 'csv'] as const;
export type AuditExportFormat = (typeof auditExportFormats)[number];

const auditExportQuery = auditLogsQuery
  .omit({ limit: true, offset: true })
  .extend({ format: z.enum(auditExportFormats).default('jsonl') });
export type AuditExportQuery = z.output<typeof auditExportQuery>;

/** Changes since a position in the log; each change names the thing that a page may show. */
export const changesSchema = z
  .object({
    /** Position that the next call sends as `since`; calls that follow each other may repeat changes. */
    seq: z.int(),
    /** At most 500, oldest first. */
    changes: z.array(
      z.object({
        /** Position in the log. */
        id: z.int(),
        /** Kind of the resource, such as `fqdn` or `certificate`. */
        type: z.string(),
        resourceId: scalars.uuid,
        spaceId: scalars.uuid.optional(),
        fqdnId: scalars.uuid.optional(),
      }),
    ),
    /** Too much has changed, or the log was emptied: everything shown may be out of date. */
    reset: z.boolean().optional(),
  })
  .meta({ id: 'Changes' });
export type Changes = z.output<typeof changesSchema>;

export const auditLogsContract = {
  listChanges: endpoint({
    method: 'GET',
    path: '/changes',
    summary: 'List the changes since a position; without one, show only the current position',
    query: z.object({ since: scalars.optionalQueryInteger(0, Number.MAX_SAFE_INTEGER) }),
    responses: { 200: json(changesSchema, 'The changes that the caller may see') },
    failures: [400, 401],
  }),
  listAuditLogs: endpoint({
    method: 'GET',
    path: '/audit-logs',
    documented: true,
    summary: 'List the audit log, newest first',
    query: auditLogsQuery,
    responses: { 200: json(auditLogsPageSchema, 'A page of the log') },
    failures: [400, 401],
  }),
  deleteAuditLogs: endpoint({
    method: 'DELETE',
    path: '/audit-logs',
    documented: true,
    summary: 'Clear the audit log',
    responses: { 200: json(messageSchema, 'Cleared') },
    failures: [401, 403],
  }),
  createTestAuditLog: endpoint({
    method: 'POST',
    path: '/audit-logs/test',
    documented: true,
    summary: 'Write a test entry',
    body: { kind: 'json', schema: z.object({}), optional: true },
    responses: { 200: json(messageSchema, 'Written') },
    failures: [400, 401, 403],
  }),
  exportAuditLogs: endpoint({
    method: 'GET',
    path: '/audit-logs/export',
    summary: 'Export all entries of the audit log that match the filters',
    query: auditExportQuery,
    responses: { 200: stream(['application/x-ndjson', 'text/csv; charset=utf-8'], 'Entries, one a line') },
    failures: [400, 401],
  }),
  listAuditClearings: endpoint({
    method: 'GET',
    path: '/audit-logs/clearings',
    summary: 'List when the audit log was cleared, and by whom',
    responses: { 200: json(z.array(auditClearingSchema), 'All of them, oldest first') },
    failures: [401, 403],
  }),
};

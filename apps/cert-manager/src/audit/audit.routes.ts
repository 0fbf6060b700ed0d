import { ok, type SomeHandlers } from '../http/handlers.js';
import {
  type AuditLogDeps,
  clearAuditLogs,
  createTestAuditLog,
  listAuditClearings,
  listAuditLogs,
} from './audit-log.service.js';
import { auditClearingView } from './audit-view.js';
import { exportAuditLogs } from './export/export-audit-logs.service.js';
import { listChanges } from './list-changes.service.js';

export function auditHandlers(deps: AuditLogDeps) {
  return {
    listChanges: async ({ query, context }) => ok(await listChanges(deps, context, query.since)),
    listAuditLogs: async (call) => ok(await listAuditLogs(deps, call.context, call.query, call.signal)),
    deleteAuditLogs: async ({ context }) => {
      const { count } = await clearAuditLogs(deps, context);
      return ok({ message: `all audit logs deleted (${count})` });
    },
    exportAuditLogs: async ({ query, context }) => {
      const { contentType, fileName, pieces } = await exportAuditLogs(deps, context, query);
      const headers = {
        'Content-Type': contentType,
        'Content-Disposition': `attachment; filename="${fileName}"`,
      };
      return { status: 200, body: pieces, headers };
    },
    listAuditClearings: async ({ context }) =>
      ok((await listAuditClearings(deps, context)).map(auditClearingView)),
    createTestAuditLog: async ({ context }) => {
      await createTestAuditLog(deps, context);
      return ok({ message: 'test audit log created' });
    },
  } satisfies SomeHandlers;
}

import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { type AuditLogDeps, clearAuditLogs, createTestAuditLog, listAuditLogs } from './audit-log.service.js';

type AuditOperation = 'listAuditLogs' | 'deleteAuditLogs' | 'createTestAuditLog';

export function auditHandlers(
  deps: AuditLogDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, AuditOperation> {
  return {
    listAuditLogs: async ({ query, context }) => ({
      status: 200,
      body: await listAuditLogs(deps, context, query),
    }),
    deleteAuditLogs: async ({ context }) => {
      const { count } = await clearAuditLogs(deps, context);
      return { status: 200, body: { message: `all audit logs deleted (${count})` } };
    },
    createTestAuditLog: async ({ context }) => {
      await createTestAuditLog(deps, context);
      return { status: 200, body: { message: 'test audit log created' } };
    },
  };
}

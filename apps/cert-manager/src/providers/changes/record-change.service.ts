import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { AuditOutcome } from '../../audit/audit-entry.js';
import type { ProviderRow } from '../providers.repository.js';

/** Audit entry about a provider, in the transaction of the change that it describes. */
export function recordProviderAudit(
  tx: Tx,
  caller: Caller,
  entry: {
    readonly action:
      | 'provider.create'
      | 'provider.delete'
      | 'provider.enable'
      | 'provider.config'
      | 'provider.test';
    readonly row: ProviderRow;
    readonly outcome?: AuditOutcome;
    readonly details: Readonly<Record<string, unknown>>;
  },
  now: Date,
): Promise<void> {
  const { row, details, ...act } = entry;
  const named = { provider: row.name, ...details };
  return recordAudit(
    tx,
    caller,
    { ...act, resourceType: 'provider', resourceId: row.id, details: named },
    now,
  );
}

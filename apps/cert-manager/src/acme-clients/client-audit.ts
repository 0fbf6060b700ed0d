import type { AuditEntry } from '../audit/audit-entry.js';
import { listSummary, namesSummary } from '../fqdns/policy/policy-change.js';
import type { AcmeClientRow } from './acme-client.js';

/** Audit entry of an act on a client. */
export function clientAudit(
  action: Extract<AuditEntry['action'], `acme_client.${string}`>,
  { id, spaceId, name, kid }: Pick<AcmeClientRow, 'id' | 'spaceId' | 'name' | 'kid'>,
  details: Record<string, unknown>,
) {
  return {
    action,
    resourceType: 'acme-client',
    resourceId: id,
    spaceId,
    details: { name, kid, ...details },
  } as const;
}

/** The settings of a client for the audit log; of long lists only how long they are, and a digest that identifies them. */
export function settingsForAudit({ names, expiresAt, ...row }: AcmeClientRow): Record<string, unknown> {
  const { name, providerId, createFqdns, mayTakeOver, maxOrdersPerDay, maxAccounts } = row;
  return {
    name,
    names: names && namesSummary(names),
    providerId,
    createFqdns,
    mayTakeOver,
    allowedCidrs: listSummary(row.allowedCidrs),
    expiresAt: expiresAt?.toISOString() ?? null,
    maxOrdersPerDay,
    maxAccounts,
  };
}

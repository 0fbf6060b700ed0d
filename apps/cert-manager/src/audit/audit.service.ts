import { randomUUID } from 'node:crypto';
import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { insertAuditLogs } from './audit.repository.js';
import { type AuditEntry, auditFacts } from './audit-entry.js';
import { ipKey } from './search/ip-range.js';

/** Writes an entry in the transaction of the change that it describes; both are stored or neither. */
export async function recordAudit(tx: Tx, caller: Caller, entry: AuditEntry, now: Date): Promise<void> {
  await recordAudits(tx, [{ caller, entry }], now);
}

/** Writes several entries of one moment, in their order. */
export async function recordAudits(
  tx: Tx,
  acts: readonly { readonly caller: Caller; readonly entry: AuditEntry }[],
  now: Date,
): Promise<void> {
  const rows = acts.map(({ caller, entry }) => {
    const facts = auditFacts(caller, entry);
    return { ...facts, entryId: randomUUID(), timestamp: now, ipKey: ipKey(facts.ipAddress) };
  });
  await insertAuditLogs(tx, rows);
}

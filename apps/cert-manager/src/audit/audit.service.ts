import { randomUUID } from 'node:crypto';
import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { insertAuditLog } from './audit.repository.js';
import { type AuditEntry, auditFacts } from './audit-entry.js';
import { ipKey } from './ip-range.js';

/** Writes an entry in the transaction of the change that it tells of; both stay or neither does. */
export async function recordAudit(tx: Tx, caller: Caller, entry: AuditEntry, now: Date): Promise<void> {
  const facts = auditFacts(caller, entry);
  await insertAuditLog(tx, {
    ...facts,
    entryId: randomUUID(),
    timestamp: now,
    ipKey: ipKey(facts.ipAddress),
  });
}

import { randomUUID } from 'node:crypto';
import { yieldBetween } from '@certloop/db';
import { createGrowingCache, type Logger } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import type { DbDeps } from '../db-deps.js';
import { insertAuditLogs, updateAuditDetails } from './audit.repository.js';
import { type AuditEntry, auditFacts } from './audit-entry.js';
import { ipKey } from './search/ip-range.js';

/** A refusal that the log keeps: what was asked for, and the code of the refusal. */
export interface Denial {
  readonly action: 'access.denied' | 'acme_client.bind' | 'auth.fail';
  readonly resourceType: string;
  readonly resourceId?: string;
  readonly spaceId?: string;
  /** Method and path of the request, or whatever else makes two denials the same. */
  readonly subject: string;
  readonly reason: string;
}

/** Keeps refusals in the audit log, each in a transaction of its own. */
export interface Denials {
  /** Writes the denial; the same one by the same caller within a minute is counted instead. Never throws. */
  record(caller: Caller, denial: Denial): Promise<void>;
  /** Writes the counts that have risen since they were last written. Never throws. */
  flush(): Promise<void>;
  /** Starts again: the next denial of each kind gets an entry. */
  forget(): void;
}

export interface DenialsDeps extends DbDeps {
  readonly logger: Logger;
}

interface Repeated {
  readonly entryId: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly begunAt: number;
  count: number;
  writtenCount: number;
}

const sameForMs = 60_000;
/** Beyond this many names at once, refused requests under further names get an audit entry each. */
const maxRemembered = 10_000;

export function createDenials({ db, clock, logger }: DenialsDeps): Denials {
  const remembered = createGrowingCache<Repeated>(maxRemembered);

  const record = async (caller: Caller, denial: Denial) => {
    const now = clock.now();
    const key = keyOf(caller, denial);
    const known = remembered.get(key);
    if (known !== undefined && now.getTime() - known.begunAt < sameForMs) {
      known.count += 1;
      return;
    }
    const facts = auditFacts(caller, entryOf(denial));
    const entryId = randomUUID();
    if (known !== undefined) await write(known);
    remembered.set(key, {
      entryId,
      details: facts.details,
      begunAt: now.getTime(),
      count: 1,
      writtenCount: 1,
    });
    const row = { ...facts, entryId, timestamp: now, ipKey: ipKey(facts.ipAddress) };
    await db.transaction((tx) => insertAuditLogs(tx, [row]));
  };

  const write = async (repeated: Repeated) => {
    const { entryId, details, count } = repeated;
    if (count === repeated.writtenCount) return;
    repeated.writtenCount = count;
    await db.transaction((tx) => updateAuditDetails(tx, entryId, { ...details, count }));
  };

  const flush = async () => {
    const now = clock.now().getTime();
    for await (const [key, repeated] of yieldBetween([...remembered])) {
      await write(repeated);
      if (now - repeated.begunAt >= sameForMs) remembered.delete(key);
    }
  };

  // The refusal itself must reach the caller, whatever happens to its entry.
  const safely = (work: Promise<void>) =>
    work.catch((error: unknown) => logger.error({ error }, 'audit.denial_not_recorded'));

  return {
    record: (caller, denial) => safely(record(caller, denial)),
    flush: () => safely(flush()),
    forget: () => remembered.clear(),
  };
}

function keyOf(caller: Caller, { action, subject, reason, resourceId }: Denial): string {
  const { userId, tokenId, ipAddress } = caller;
  return JSON.stringify([userId, tokenId, ipAddress, action, subject, reason, resourceId]);
}

function entryOf({ action, resourceType, resourceId, spaceId, subject, reason }: Denial): AuditEntry {
  return {
    action,
    resourceType,
    ...(resourceId !== undefined && { resourceId }),
    ...(spaceId !== undefined && { spaceId }),
    outcome: action === 'access.denied' ? 'denied' : 'failure',
    details: { reason, subject, count: 1 },
  };
}

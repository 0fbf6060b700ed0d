import type { AuditAction } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { nilUuid } from '../access/caller.js';

export type AuditOutcome = 'success' | 'failure' | 'denied';

/** One action, as the code that performs it describes it. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly resourceType: string;
  readonly resourceId?: string;
  readonly spaceId?: string;
  /** `success` when absent. */
  readonly outcome?: AuditOutcome;
  /** Facts such as `fqdn`, `serial`, `before`, `after`; never a secret, only that one `changed`. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Stored facts of an action, without its place in the log. */
export interface AuditFacts {
  readonly action: AuditAction;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly spaceId: string | null;
  readonly userId: string;
  readonly username: string;
  readonly outcome: AuditOutcome;
  readonly details: Readonly<Record<string, unknown>>;
  readonly ipAddress: string;
  readonly userAgent: string;
}

/** An entry as it is stored. */
export interface AuditLogRow extends AuditFacts {
  /** Position in the log: rising, never used again. */
  readonly id: number;
  readonly entryId: string;
  readonly timestamp: Date;
  /** The address as 32 hexadecimal digits, so that a range is a stretch of text; empty without address. */
  readonly ipKey: string;
}

/** One emptying of the log; it has a table of its own and is never deleted. */
export interface AuditClearingRow {
  readonly id: number;
  readonly at: Date;
  readonly count: number;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  readonly userId: string;
  readonly username: string;
  readonly ipAddress: string;
}

/** Puts together who did what and how it ended. */
export function auditFacts(caller: Caller, entry: AuditEntry): AuditFacts {
  const outcome = entry.outcome ?? 'success';
  const { kind, tokenId } = caller;
  return {
    action: entry.action,
    resourceType: entry.resourceType,
    resourceId: entry.resourceId ?? nilUuid,
    spaceId: entry.spaceId ?? null,
    userId: caller.userId,
    username: caller.username,
    outcome,
    details: storedDetails(
      {
        outcome,
        requestId: caller.requestId,
        actor: { kind, ...(tokenId !== undefined && { tokenId }) },
        ...(entry.spaceId !== undefined && { spaceId: entry.spaceId }),
      },
      entry.details ?? {},
    ),
    ipAddress: caller.ipAddress,
    userAgent: caller.userAgent,
  };
}

const maxBytes = 8192;

/** Facts of an act after those that every entry has; without secrets, and without the act's own when too long. */
function storedDetails(
  always: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const details = { ...always, ...(withoutSecrets(own) as Record<string, unknown>) };
  if (Buffer.byteLength(JSON.stringify(details)) <= maxBytes) return details;
  const shortened: Record<string, unknown> = { ...always, truncated: true };
  for (const [name, value] of Object.entries(details)) {
    const longer = { ...shortened, [name]: value };
    if (Buffer.byteLength(JSON.stringify(longer)) <= maxBytes) shortened[name] = value;
  }
  return shortened;
}

/** A second line of defence: code that describes an action must omit its secrets in the first place. */
const secretName = /password|secret|hmac|cookie|authorization|private_?key|^(?:api_?)?token$/i;

function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (value instanceof Date || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretName.test(name) ? { changed: true } : withoutSecrets(member),
    ]),
  );
}

/** PostgreSQL keeps neither U+0000 nor half of a surrogate pair. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

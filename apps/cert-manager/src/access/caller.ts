import type { Level } from './levels.js';

/** Where a request came from, as the audit log stores it. */
export interface Origin {
  readonly requestId: string;
  readonly ipAddress: string;
  readonly userAgent: string;
  /** The header Idempotency-Key as sent; the audit log does not store it. */
  readonly idempotencyKey?: string;
  /** The header If-None-Match as sent. */
  readonly ifNoneMatch?: string;
  /** Secret of the device cookie of this browser, as a sign-in leaves one; the audit log does not store it. */
  readonly deviceSecret?: string;
}

/** The caller, with what they may do at this moment; the scope of an API token has already been applied. */
export interface Caller extends Origin {
  readonly kind: 'user' | 'token' | 'scheduler' | 'open' | 'cli' | 'anonymous' | 'acmeClient';
  /** A fixed uuid where there is no account; of an ACME client its id. */
  readonly userId: string;
  readonly username: string;
  readonly tokenId?: string;
  /** An API token of the scope READ, which changes nothing, not even what is its owner's own. */
  readonly isReadOnly?: true;
  /** An API token limited to spaces, which cannot access anything else. */
  readonly isLimitedToSpaces?: true;
  readonly sessionId?: string;
  readonly isAdmin: boolean;
  /** An administrator, or FULL_ACCESS to every space, those made later included. */
  readonly hasFullAccess: boolean;
  /** Level on every space, those made later included; absent if there is none. */
  readonly everywhere?: Level;
  /** Levels by space, in addition to `everywhere`. */
  readonly spaceLevels: ReadonlyMap<string, Level>;
}

/** The uuid that stands for "none" (RFC 9562 §5.9). */
export const nilUuid = '00000000-0000-0000-0000-000000000000';

/** User ids of callers that have no account. */
export const builtInUserIds = {
  scheduler: '00000000-0000-4000-8000-000000000001',
  open: '00000000-0000-4000-8000-000000000002',
  cli: '00000000-0000-4000-8000-000000000003',
} as const;

const noSpaces: ReadonlyMap<string, Level> = new Map();

/** A caller who has not signed in. */
export function anonymousCaller(origin: Origin): Caller {
  return {
    ...origin,
    kind: 'anonymous',
    userId: nilUuid,
    username: '',
    isAdmin: false,
    hasFullAccess: false,
    spaceLevels: noSpaces,
  };
}

/** The service itself, at work for one of its own kinds; it may do everything. */
export function builtInCaller(kind: 'scheduler' | 'open' | 'cli', origin: Origin): Caller {
  return {
    ...origin,
    kind,
    userId: builtInUserIds[kind],
    username: kind === 'open' ? 'open-mode' : kind,
    isAdmin: true,
    hasFullAccess: true,
    everywhere: 'FULL_ACCESS',
    spaceLevels: noSpaces,
  };
}

/** Origin of work that no request asked for; `id` identifies the run. */
export function internalOrigin(id: string): Origin {
  return { requestId: id, ipAddress: '', userAgent: '' };
}

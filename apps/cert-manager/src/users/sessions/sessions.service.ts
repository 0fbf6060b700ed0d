import { randomUUID } from 'node:crypto';
import { Unauthenticated } from '@certloop/contracts';
import { csrfTokenOf, newSecret, secretHash, signInPlaces } from '@certloop/server';
import type { Caller, Origin } from '../../access/caller.js';
import { rightsOf, userCaller } from '../../access/rights.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { DbDeps } from '../../db-deps.js';
import { requireSession } from '../api-tokens/api-tokens.service.js';
import type { UserRow } from '../user.js';
import { updateUserRow } from '../users.repository.js';
import { type ProofDeps, provePassword } from './prove-password.service.js';
import { idleMs, maxSessionMs } from './session-life.js';
import {
  deleteEndedSessions,
  deleteSession,
  deleteSessionsBeyond,
  findSession,
  insertSession,
  type SessionRow,
} from './sessions.repository.js';
import { deleteOldPlaces, noteSignInPlaces } from './sign-in-places.repository.js';

export type SessionsDeps = ProofDeps;

/** More than anybody has browsers; signing in over and over must not fill the table. */
const maxSessions = 50;

export interface OpenedSession {
  readonly user: UserRow;
  /** For the cookie; not stored. */
  readonly secret: string;
  readonly csrfToken: string;
}

/**
 * Opens a session. Throws Unauthenticated, in the same words and after the same time whether the name, the
 * password or the state of the account is wrong, and a too_many_requests refusal.
 */
export async function openSession(
  deps: SessionsDeps,
  from: Origin,
  input: { readonly username: string; readonly password: string },
): Promise<OpenedSession> {
  const user = await provePassword(deps, from, input);
  if (user === undefined) throw wrongLogin();
  const { passwords } = deps;
  const isOutdated = passwords.isOutdated(user.passwordHash);
  const passwordHash = isOutdated ? await passwords.hash(input.password) : user.passwordHash;
  const secret = newSecret();
  const session = sessionOf(user, secret, deps.clock.now());
  await storeSession(deps, from, { user, passwordHash, session });
  return { user, secret, csrfToken: csrfTokenOf(session) };
}

function sessionOf(user: UserRow, secret: string, now: Date): SessionRow {
  return {
    id: randomUUID(),
    secretHash: secretHash(secret),
    userId: user.id,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: new Date(now.getTime() + maxSessionMs),
  };
}

async function storeSession(
  { db }: SessionsDeps,
  from: Origin,
  { user, passwordHash, session }: { user: UserRow; passwordHash: string; session: SessionRow },
): Promise<void> {
  const caller = { ...userCaller(user, rightsOf(user, []), from), sessionId: session.id };
  const entry = { action: 'auth.login', resourceType: 'session', resourceId: session.id } as const;
  await db.transaction(async (tx) => {
    // The password may have been changed, or the account disabled, while this one was being checked.
    const isUnchanged = { id: user.id, passwordHash: user.passwordHash, enabled: true };
    const set = { passwordHash, lastLoginAt: session.createdAt };
    if (!(await updateUserRow(tx, isUnchanged, set))) throw wrongLogin();
    await insertSession(tx, session);
    const places = signInPlaces(from.ipAddress, from.deviceSecret);
    await noteSignInPlaces(tx, user.id, places, session.createdAt);
    await deleteSessionsBeyond(tx, user.id, maxSessions);
    await recordAudit(tx, caller, entry, session.createdAt);
  });
}

function wrongLogin(): Unauthenticated {
  return new Unauthenticated('user name or password is wrong', {
    code: 'login_failed',
    title: 'Sign-in failed',
  });
}

/** Closes the caller's session. Throws Forbidden if there is none. */
export async function closeSession({ db, clock }: SessionsDeps, caller: Caller): Promise<void> {
  const sessionId = requireSession(caller);
  await db.transaction(async (tx) => {
    await deleteSession(tx, sessionId);
    const entry = { action: 'auth.logout', resourceType: 'session', resourceId: sessionId } as const;
    await recordAudit(tx, caller, entry, clock.now());
  });
}

/** A session as its owner's page needs it. */
export interface OwnSession {
  readonly csrfToken: string;
  /** When it ends without further use; not after `endsAt`. */
  readonly idleEndsAt: Date;
  readonly endsAt: Date;
}

/** The caller's session; undefined if there is none. */
export async function findOwnSession(
  { db }: Pick<SessionsDeps, 'db'>,
  { sessionId }: Caller,
): Promise<OwnSession | undefined> {
  if (sessionId === undefined) return undefined;
  const session = await db.read((tx) => findSession(tx, sessionId));
  if (session === undefined) return undefined;
  const { lastUsedAt, expiresAt: endsAt } = session;
  const idleEndsAt = new Date(Math.min(lastUsedAt.getTime() + idleMs, endsAt.getTime()));
  return { csrfToken: csrfTokenOf(session), idleEndsAt, endsAt };
}

/** Deletes sessions that can no longer be used, and places that no longer count as known. */
export async function sweepSessions({ db, clock }: DbDeps): Promise<void> {
  const now = clock.now();
  const idleSince = new Date(now.getTime() - idleMs);
  await db.transaction(async (tx) => {
    await deleteEndedSessions(tx, now, idleSince);
    await deleteOldPlaces(tx, now);
  });
}

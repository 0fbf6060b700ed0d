import { Forbidden, Unauthenticated } from '@certloop/contracts';
import { csrfTokenOf, type FetchMetadata, isFromOwnPage, sameText, secretHash } from '@certloop/server';
import ipaddr from 'ipaddr.js';
import { builtInCaller, type Caller, type Origin } from '../../access/caller.js';
import { limitRights, userCaller } from '../../access/rights.js';
import { isUuid } from '../../access/uuid.js';
import type { DbDeps } from '../../db-deps.js';
import type { ApiTokenRow } from '../api-tokens/api-token.js';
import { noteTokenUse } from '../api-tokens/api-tokens.repository.js';
import { bearerOf, parseApiToken, type TokenParts } from '../sessions/credentials.js';
import { hasEnded } from '../sessions/session-life.js';
import { findSessionByHash, noteSessionUse, type SessionRow } from '../sessions/sessions.repository.js';
import { findUser } from '../users.repository.js';
import { type OwnedToken, readRights } from './token-owners.service.js';
import type { NoteUse } from './use-notes.service.js';

export interface IdentifyDeps extends DbDeps {
  /** The token with its owner as it is now; undefined if there is none of that secret. */
  readonly readToken: (parts: TokenParts) => Promise<OwnedToken | undefined>;
  readonly noteUse: NoteUse;
  /** Who sends no credential is the built-in administrator, or whom `X-User-Id` names. */
  readonly isOpen: boolean;
}

/** Credentials of a request, and the page that sent it. */
export interface Credentials extends FetchMetadata {
  readonly authorization: string | undefined;
  /** Secret of the session's cookie. */
  readonly sessionSecret: string | undefined;
  readonly csrfToken: string | undefined;
  /** X-User-Id; counts in open mode only. */
  readonly asUserId: string | undefined;
  /** False for GET and HEAD. */
  readonly isWrite: boolean;
  /** Sent by a page that no one may be looking at, so it does not renew a session. */
  readonly isBackground: boolean;
  readonly ownOrigins: readonly string[];
  readonly from: Origin;
}

/**
 * Who sent the request. A Bearer credential is judged alone, whatever else was sent; then the cookie, which
 * a write must accompany by its CSRF token from a page of this service. Throws Unauthenticated when there is
 * no credential or none that holds, Forbidden when the cookie came without what a write needs.
 */
export async function identifyCaller(deps: IdentifyDeps, credentials: Credentials): Promise<Caller> {
  const { authorization, sessionSecret } = credentials;
  if (authorization !== undefined) return byToken(deps, authorization, credentials.from);
  const caller = sessionSecret === undefined ? undefined : await bySession(deps, sessionSecret, credentials);
  if (caller !== undefined) return caller;
  if (deps.isOpen) return inOpenMode(deps, credentials);
  throw new Unauthenticated('sign in, or send an API token as Bearer', { title: 'Not signed in' });
}

/** Uses are noted this often, so that reading does not mean writing. */
const noteEveryMs = 60_000;

async function byToken(deps: IdentifyDeps, authorization: string, from: Origin): Promise<Caller> {
  const text = bearerOf(authorization);
  if (text === undefined) throw invalidToken('the Authorization header must have the scheme Bearer');
  const parts = parseApiToken(text);
  if (parts === undefined) throw invalidToken('the API token is not valid');
  const now = deps.clock.now();
  const owned = await deps.readToken(parts);
  if (owned === undefined) throw invalidToken('the API token is not valid');
  const { token, user } = owned;
  requireUsable(token, from.ipAddress, now);
  if (!user.enabled) throw invalidToken('the owner of the API token is disabled');
  const rights = limitRights(owned.rights, token);
  if (isStale(token.lastUsedAt, now)) {
    const use = { at: now, ip: from.ipAddress };
    await deps.noteUse(token.id, now, (tx) => noteTokenUse(tx, token.id, use));
  }
  return { ...userCaller(user, rights, from), kind: 'token', tokenId: token.id, ...limitsOf(token) };
}

function limitsOf({ scope, spaceIds }: ApiTokenRow): Pick<Caller, 'isReadOnly' | 'isLimitedToSpaces'> {
  return {
    ...(scope === 'READ' && { isReadOnly: true }),
    ...(spaceIds !== null && { isLimitedToSpaces: true }),
  };
}

function requireUsable(token: ApiTokenRow, ipAddress: string, now: Date): void {
  if (token.expiresAt <= now) throw invalidToken('the API token has expired');
  if (token.allowedCidrs.length > 0 && !isWithin(ipAddress, token.allowedCidrs)) {
    throw invalidToken('the API token may not be used from this address');
  }
}

function isWithin(ipAddress: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(ipAddress)) return false;
  const address = ipaddr.process(ipAddress);
  return ranges.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range);
    return base.kind() === address.kind() && address.match(base, bits);
  });
}

function invalidToken(message: string): Unauthenticated {
  return new Unauthenticated(message, { code: 'invalid_token', title: 'API token refused' });
}

/** The caller by their session; undefined when the secret no longer opens a session. */
async function bySession(
  { db, clock, noteUse }: IdentifyDeps,
  secret: string,
  credentials: Credentials,
): Promise<Caller | undefined> {
  const now = clock.now();
  const found = await db.read(async (tx) => {
    const session = await findSessionByHash(tx, secretHash(secret));
    if (session === undefined || hasEnded(session, now)) return undefined;
    const user = await findUser(tx, session.userId);
    return user?.enabled === true ? { session, user, rights: await readRights(tx, user) } : undefined;
  });
  if (found === undefined) return undefined;
  if (credentials.isWrite) requireOwnPage(found.session, credentials);
  const { session } = found;
  if (!credentials.isBackground && isStale(session.lastUsedAt, now)) {
    await noteUse(session.id, now, (tx) => noteSessionUse(tx, session.id, now));
  }
  return { ...userCaller(found.user, found.rights, credentials.from), sessionId: found.session.id };
}

function requireOwnPage(session: SessionRow, credentials: Credentials): void {
  const { csrfToken, ownOrigins } = credentials;
  if (!isFromOwnPage(credentials, ownOrigins)) {
    throw csrfRefusal('the request did not come from a page of this service');
  }
  if (csrfToken === undefined || !sameText(csrfToken, csrfTokenOf(session))) {
    throw csrfRefusal('the header X-CSRF-Token is missing or wrong');
  }
}

function csrfRefusal(message: string): Forbidden {
  return new Forbidden(message, { code: 'csrf_refused', title: 'Cross-site request refused' });
}

function isStale(lastUsedAt: Date | null, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= noteEveryMs;
}

async function inOpenMode({ db }: IdentifyDeps, { asUserId, from }: Credentials): Promise<Caller> {
  if (asUserId === undefined) return builtInCaller('open', from);
  return db.read(async (tx) => {
    const userId = asUserId.toLowerCase();
    const user = isUuid(userId) ? await findUser(tx, userId) : undefined;
    if (user?.enabled !== true) throw new Unauthenticated('X-User-Id names no enabled user');
    return { ...userCaller(user, await readRights(tx, user), from), kind: 'open' };
  });
}

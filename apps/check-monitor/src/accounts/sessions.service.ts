import { Forbidden, Unauthenticated } from '@certloop/contracts';
import {
  csrfTokenOf,
  type FetchMetadata,
  isFromForeignPage,
  isFromOwnPage,
  type LoginThrottle,
  newSecret,
  type Passwords,
  sameText,
  secretHash,
  signInPlaces,
} from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { findUserByEmail, type User } from '../projects/users.repository.js';
import { isStorable } from '../storable-text.js';
import {
  deleteSession,
  findPassword,
  findSession,
  hasAnyPassword,
  insertSession,
  noteSessionUse,
  replacePassword,
  type SessionRow,
  sweepSessions,
} from './sessions.repository.js';
import { findKnownPlace, noteSignInPlaces } from './sign-in-places.repository.js';

export interface SessionsDeps extends DbDeps {
  readonly passwords: Passwords;
  readonly throttle: LoginThrottle;
}

/** Where an attempt to give a password comes from. */
export interface Sender {
  /** Address of the client; empty when unknown. */
  readonly address: string;
  /** Secret of the device cookie of a browser, as a sign-in leaves one. */
  readonly deviceSecret: string | undefined;
}

/** Who is signed in. */
export interface SignedIn extends Sender {
  readonly user: User;
  readonly secretHash: string;
  readonly csrfToken: string;
  /** When the session ends without further use; not after `endsAt`. */
  readonly idleEndsAt: Micros;
  readonly endsAt: Micros;
}

/** Credentials of a request, and the page that sent it. */
export interface Credentials extends FetchMetadata, Sender {
  readonly sessionSecret: string | undefined;
  readonly csrfToken: string | undefined;
  /** False for GET and HEAD. */
  readonly isWrite: boolean;
  /** Sent by a page that no one may be looking at, so it does not renew the session. */
  readonly isBackground: boolean;
  readonly ownOrigins: readonly string[];
}

/** No user has this id. */
const nilUuid = '00000000-0000-0000-0000-000000000000';
const minute = 60 * microsPerSecond;
const idle = 30 * minute;
const maxAge = 12 * 60 * minute;

/** More than anybody has browsers; signing in over and over must not fill the table. */
const maxSessions = 50;

/**
 * Opens a session. Throws Unauthenticated, in the same words and after the same time whether the address or the
 * password is wrong, Forbidden for a page of another origin, and a too_many_requests refusal.
 */
export async function openSession(
  deps: SessionsDeps,
  from: Credentials,
  input: { readonly email: string; readonly password: string },
): Promise<SignedIn & { readonly secret: string }> {
  // else a page elsewhere could sign its visitor in as someone else
  if (isFromForeignPage(from, from.ownOrigins)) throw foreignPage();
  const proven = await provePassword(deps, from, input);
  if (proven === undefined) throw new Unauthenticated('e-mail address or password is wrong');
  const { user, hash } = proven;
  const newHash = deps.passwords.isOutdated(hash) ? await deps.passwords.hash(input.password) : hash;
  const secret = newSecret();
  const { address, deviceSecret } = from;
  const now = deps.clock.now();
  const session = { secretHash: secretHash(secret), userId: user.id, createdAt: now, lastUsedAt: now };
  await deps.db.transaction(async (tx) => {
    // it may have been changed while this one was being checked
    if ((await findPassword(tx, user.id)) !== hash) throw new Unauthenticated('the password was changed');
    if (newHash !== hash) await replacePassword(tx, { userId: user.id, hash: newHash, changedAt: now });
    await insertSession(tx, session);
    await noteSignInPlaces(tx, user.id, signInPlaces(address, deviceSecret), now);
    const ended = { unusedSince: now - idle, openedBefore: now - maxAge };
    await sweepSessions(tx, user.id, { maxSessions, ...ended });
  });
  return {
    user,
    secret,
    secretHash: session.secretHash,
    csrfToken: csrfTokenOf(session),
    address,
    deviceSecret,
    ...endsOf(session),
  };
}

/** Whether any user has a password yet. */
export function canAnyoneSignIn({ db }: Pick<SessionsDeps, 'db'>): Promise<boolean> {
  return db.read(hasAnyPassword);
}

function endsOf({ createdAt, lastUsedAt }: Pick<SessionRow, 'createdAt' | 'lastUsedAt'>) {
  const endsAt = createdAt + maxAge;
  return { idleEndsAt: Math.min(lastUsedAt + idle, endsAt), endsAt };
}

/**
 * Who sent the request, by the cookie of a session. Throws Unauthenticated without one that holds, Forbidden for a
 * change that did not come from a page of this service with the token of the session.
 */
export async function identifyUser(deps: SessionsDeps, from: Credentials): Promise<SignedIn> {
  const hash = from.sessionSecret === undefined ? undefined : secretHash(from.sessionSecret);
  const found = hash === undefined ? undefined : await deps.db.read((tx) => findSession(tx, hash));
  const now = deps.clock.now();
  if (found === undefined || found.lastUsedAt <= now - idle || found.createdAt <= now - maxAge) {
    throw new Unauthenticated('sign in');
  }
  const csrfToken = csrfTokenOf(found);
  if (from.isWrite && !isFromOwnPage(from, from.ownOrigins)) throw foreignPage();
  if (from.isWrite && !sameText(from.csrfToken ?? '', csrfToken)) {
    throw new Forbidden('the header X-CSRF-Token is missing or wrong');
  }
  // so that reading does not mean writing
  const isUse = !from.isBackground && found.lastUsedAt <= now - minute;
  if (isUse) await deps.db.transaction((tx) => noteSessionUse(tx, found.secretHash, now));
  const ends = endsOf(isUse ? { ...found, lastUsedAt: now } : found);
  const { address, deviceSecret } = from;
  return { user: found, secretHash: found.secretHash, csrfToken, address, deviceSecret, ...ends };
}

export async function closeSession({ db }: SessionsDeps, { secretHash }: SignedIn): Promise<void> {
  await db.transaction((tx) => deleteSession(tx, secretHash));
}

/** The user whose address and password these are; undefined, after the same time, when either is wrong. */
export async function provePassword(
  { db, clock, passwords, throttle }: SessionsDeps,
  { address, deviceSecret }: Sender,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<{ readonly user: User; readonly hash: string } | undefined> {
  const normal = email.trim().toLowerCase();
  const places = signInPlaces(address, deviceSecret);
  const { user, hash, knownPlace } = await db.read(async (tx) => {
    const found = isStorable(normal) ? await findUserByEmail(tx, normal) : undefined;
    // asked for without a user too, so that the time does not show whether there is one
    const id = found?.id ?? nilUuid;
    const known = await findKnownPlace(tx, id, places, clock.now());
    return { user: found, hash: await findPassword(tx, id), knownPlace: known };
  });
  // an address of any length makes a key of one length
  return throttle.attempt({ account: secretHash(normal), address, knownPlace }, async (turn) => {
    const isRight = await passwords.verify(password, hash, turn);
    return isRight && user !== undefined && hash !== undefined ? { user, hash } : undefined;
  });
}

function foreignPage(): Forbidden {
  return new Forbidden('the request did not come from a page of this service');
}

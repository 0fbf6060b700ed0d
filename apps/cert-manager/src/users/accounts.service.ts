import { emailInput, InvalidInput, usernameInput } from '@certloop/contracts';
import { type Database, newRowId, onUniqueViolation, type Tx } from '@certloop/db';
import { type Clock, type Passwords, parseInput, requireAcceptablePassword } from '@certloop/server';
import { z } from 'zod';
import type { Caller } from '../access/caller.js';
import { recordAudit } from '../audit/audit.service.js';
import type { AuditEntry } from '../audit/audit-entry.js';
import { deleteSessionsOf } from './sessions/sessions.repository.js';
import { keyOf, type UserRow } from './user.js';
import {
  findUserByName,
  findUsersByKeys,
  insertUser,
  markFirstAdmin,
  updateUser,
} from './users.repository.js';

export interface AccountsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly passwordMinLength: number;
}

export interface NewAccount {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

const accountSchema = z.object({ username: usernameInput, email: emailInput, password: z.string() });

/** Row of a new enabled user. Throws InvalidInput that names every fault. */
export async function newAccount(deps: AccountsDeps, input: NewAccount): Promise<UserRow> {
  const { username, email, password } = parseInput(accountSchema, input, 'body');
  requireAcceptablePassword(password, { username, email }, deps.passwordMinLength);
  const createdAt = deps.clock.now();
  return {
    id: newRowId(createdAt),
    username,
    usernameKey: keyOf(username),
    email,
    emailKey: keyOf(email),
    passwordHash: await deps.passwords.hash(password),
    isAdmin: false,
    enabled: true,
    createdAt,
    lastLoginAt: null,
  };
}

/** The same for an administrator. */
export async function newAdmin(deps: AccountsDeps, input: NewAccount): Promise<UserRow> {
  return { ...(await newAccount(deps, input)), isAdmin: true };
}

/** Stores the account and its audit entry. Throws InvalidInput when the name or the mail address is taken. */
export async function storeAccount(tx: Tx, caller: Caller, row: UserRow, entry: AuditEntry): Promise<void> {
  await refuseTakenNames(() => insertUser(tx, row));
  const { username, email, isAdmin } = row;
  const details = { after: { username, email, isAdmin }, ...entry.details };
  await recordAudit(tx, caller, { ...entry, resourceId: row.id, details }, row.createdAt);
}

/** Creates an administrator. Throws InvalidInput. */
export async function createAdmin(deps: AccountsDeps, caller: Caller, input: NewAccount): Promise<UserRow> {
  const row = await newAdmin(deps, input);
  await deps.db.transaction(async (tx) => {
    await storeAccount(tx, caller, row, { action: 'user.create', resourceType: 'user' });
    await markFirstAdmin(tx, row.createdAt);
  });
  return row;
}

/**
 * Makes the user an enabled administrator with this password and mail address, and returns whether this changed
 * anything. A changed password ends the user's sessions. Throws InvalidInput.
 */
export async function ensureAdmin(
  deps: AccountsDeps,
  caller: Caller,
  input: NewAccount,
): Promise<'created' | 'changed' | 'unchanged'> {
  const { db, passwords } = deps;
  const found = await db.read((tx) => findUserByName(tx, input.username));
  if (found === undefined) {
    await createAdmin(deps, caller, input);
    return 'created';
  }
  const isSamePassword = await passwords.verify(input.password, found.passwordHash);
  const isSame = found.isAdmin && found.enabled && found.emailKey === keyOf(input.email);
  if (isSamePassword && isSame) return 'unchanged';
  const { email, emailKey, passwordHash } = await newAdmin(deps, input);
  const set = {
    email,
    emailKey,
    isAdmin: true,
    enabled: true,
    passwordHash: isSamePassword ? found.passwordHash : passwordHash,
  };
  await db.transaction(async (tx) => {
    await refuseTakenNames(() => updateUser(tx, { id: found.id }, set));
    if (!isSamePassword) await deleteSessionsOf(tx, found.id);
    await markFirstAdmin(tx, deps.clock.now());
    await recordAudit(tx, caller, changeOf(found, set, !isSamePassword), deps.clock.now());
  });
  return 'changed';
}

function changeOf(before: UserRow, after: Partial<UserRow>, isNewPassword: boolean): AuditEntry {
  const shown = ({ email, isAdmin, enabled }: Partial<UserRow>) => ({ email, isAdmin, enabled });
  return {
    action: 'user.update',
    resourceType: 'user',
    resourceId: before.id,
    details: {
      before: shown(before),
      after: shown(after),
      ...(isNewPassword && { password: { changed: true } }),
    },
  };
}

/**
 * Throws InvalidInput with the name, the mail address or both if another user has them; `ownId` is the user who may
 * have them.
 */
export async function requireFree(
  tx: Tx,
  wanted: { readonly username?: string | undefined; readonly email?: string | undefined },
  ownId?: string,
): Promise<void> {
  const keys = {
    ...(wanted.username !== undefined && { usernameKey: keyOf(wanted.username) }),
    ...(wanted.email !== undefined && { emailKey: keyOf(wanted.email) }),
  };
  const others = (await findUsersByKeys(tx, keys)).filter(({ id }) => id !== ownId);
  const refusals = [
    ...(others.some(({ usernameKey }) => usernameKey === keys.usernameKey) ? [nameTaken()] : []),
    ...(others.some(({ emailKey }) => emailKey === keys.emailKey) ? [emailTaken()] : []),
  ];
  const [first] = refusals;
  if (first === undefined) return;
  if (refusals.length === 1) throw first;
  throw new InvalidInput(refusals.map(({ message }) => message).join('; '), {
    code: first.code,
    fields: refusals.flatMap(({ fields }) => fields),
  });
}

/** Returns the result of `work`; throws InvalidInput if another user has the name or the mail address. */
export function refuseTakenNames<T>(work: () => Promise<T>): Promise<T> {
  return onUniqueViolation(() => onUniqueViolation(work, nameTaken, ['usernameKey']), emailTaken, [
    'emailKey',
  ]);
}

const nameTaken = () => taken('username', 'is taken');
const emailTaken = () => taken('email', 'belongs to another user');

function taken(path: string, message: string): InvalidInput {
  return new InvalidInput(`${path}: ${message}`, {
    code: `${path}_taken`,
    fields: [{ path, code: 'taken', message }],
  });
}

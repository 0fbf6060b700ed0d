import { emailInput, usernameInput } from '@certloop/contracts';
import { newRowId, type Tx } from '@certloop/db';
import { type Passwords, parseInput, requireAcceptablePassword } from '@certloop/server';
import { z } from 'zod';
import type { Caller } from '../access/caller.js';
import { recordAudit } from '../audit/audit.service.js';
import type { AuditEntry } from '../audit/audit-entry.js';
import type { DbDeps } from '../db-deps.js';
import { refuseTakenNames } from './account-names.service.js';
import { deleteSessionsOf } from './sessions/sessions.repository.js';
import { caselessKeyOf, type UserRow } from './user.js';
import { findUserByName, insertUser, markFirstAdmin, updateUserRow } from './users.repository.js';

export interface AccountsDeps extends DbDeps {
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
    usernameKey: caselessKeyOf(username),
    email,
    emailKey: caselessKeyOf(email),
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
  const isSamePassword = await passwords.verify(input.password, found.passwordHash, 0);
  const isSame = found.isAdmin && found.enabled && found.emailKey === caselessKeyOf(input.email);
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
    await refuseTakenNames(() => updateUserRow(tx, { id: found.id }, set));
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

import { randomUUID } from 'node:crypto';
import { Conflict, InvalidInput, NotFound } from '@certloop/contracts';
import { onUniqueViolation, type Tx } from '@certloop/db';
import type { DbDeps } from '../db-deps.js';
import { isStorable } from '../storable-text.js';
import { findUserByEmail, insertUser, setUserLimits, type User } from './users.repository.js';

export interface AccountDeps extends DbDeps {
  /** Key of the HMAC of stored keys. */
  readonly secret: string;
}

export interface NewUser {
  readonly email: string;
  /** Null leaves it to the service. */
  readonly checkLimit: number | null;
  readonly pingLimit: number | null;
}

/** Throws InvalidInput for anything that is not an e-mail address, Conflict when someone has it. */
export async function createUser(deps: AccountDeps, wanted: NewUser): Promise<User> {
  return deps.db.transaction((tx) => addUser(deps, tx, wanted));
}

/** Sets the limits that are given. Throws NotFound when no one has the address. */
export async function limitUser({ db }: AccountDeps, { email, ...limits }: NewUser): Promise<User> {
  return db.transaction(async (tx) => {
    const user = await findUserByEmail(tx, normalEmail(email));
    if (user === undefined) throw new NotFound(`there is no user ${email}`);
    const given = givenLimits({ email, ...limits });
    await setUserLimits(tx, user.id, given);
    return { ...user, ...given };
  });
}

export async function addUser(deps: AccountDeps, tx: Tx, wanted: NewUser): Promise<User> {
  const { checkLimit, pingLimit } = wanted;
  const email = normalEmail(wanted.email);
  const user: User = {
    id: randomUUID(),
    email,
    checkLimit,
    pingLimit,
    checkCount: 0,
    createdAt: deps.clock.now(),
  };
  await onUniqueViolation(
    () => insertUser(tx, user),
    () => new Conflict(`a user ${email} already exists`),
  );
  return user;
}

export function givenLimits({
  checkLimit,
  pingLimit,
}: NewUser): Partial<Pick<User, 'checkLimit' | 'pingLimit'>> {
  return { ...(checkLimit !== null && { checkLimit }), ...(pingLimit !== null && { pingLimit }) };
}

/** Address as it is stored; throws InvalidInput for anything else. */
export function normalEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254 || !isStorable(email)) {
    throw new InvalidInput(`${text} is not an e-mail address`);
  }
  return email;
}

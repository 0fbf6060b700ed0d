import { InvalidInput } from '@certloop/contracts';
import { onUniqueViolation, type Tx } from '@certloop/db';
import { invalidField } from '../http/problem.js';
import { caselessKeyOf } from './user.js';
import { findUsersByKeys } from './users.repository.js';

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
    ...(wanted.username !== undefined && { usernameKey: caselessKeyOf(wanted.username) }),
    ...(wanted.email !== undefined && { emailKey: caselessKeyOf(wanted.email) }),
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
  return invalidField(path, message, 'taken', { code: `${path}_taken` });
}

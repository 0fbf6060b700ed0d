import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { isAddress } from './connection.js';
import { managerAt } from './session.js';

export type SignedIn = Awaited<ReturnType<typeof signIn>>;

/** A session, for the few calls that need one. */
export async function signIn(io: Io, url: string, username: string) {
  if (!isAddress(url)) throw new UsageError(`${url} is no address`);
  const password = await io.askSecret(`Password of ${username}: `);
  const manager = managerAt(url);
  const { body, headers } = await manager.login({ body: { username, password } });
  const cookie = String(headers?.['set-cookie'] ?? '').split(';', 1)[0] ?? '';
  return {
    manager,
    headers: { cookie, origin: new URL(url).origin, 'x-csrf-token': body.csrfToken },
  };
}

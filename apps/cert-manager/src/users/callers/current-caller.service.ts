import type { Tx } from '@certloop/db';
import { builtInUserIds, type Caller } from '../../access/caller.js';
import { limitRights, type Rights, rightsOf } from '../../access/rights.js';
import { findApiToken } from '../api-tokens/api-tokens.repository.js';
import { hasEnded } from '../sessions/session-life.js';
import { findSession } from '../sessions/sessions.repository.js';
import { findUser } from '../users.repository.js';
import { readRights } from './token-owners.service.js';

/**
 * The caller of a request that takes long, with what they may do now: nothing once their account is disabled or
 * deleted, or their token or session has ended.
 */
export async function currentCaller(tx: Tx, caller: Caller, now: Date): Promise<Caller> {
  if (builtIn.has(caller.userId)) return caller;
  const { everywhere: _before, ...rest } = caller;
  return { ...rest, ...((await rightsNow(tx, caller, now)) ?? noRights) };
}

const builtIn: ReadonlySet<string> = new Set(Object.values(builtInUserIds));
const noRights = rightsOf({ isAdmin: false }, []);

async function rightsNow(
  tx: Tx,
  { kind, userId, tokenId, sessionId }: Caller,
  now: Date,
): Promise<Rights | undefined> {
  const user = await findUser(tx, userId);
  if (user?.enabled !== true) return undefined;
  const rights = await readRights(tx, user);
  if (tokenId !== undefined) {
    const token = await findApiToken(tx, tokenId);
    return token === undefined || token.expiresAt <= now ? undefined : limitRights(rights, token);
  }
  if (sessionId !== undefined) {
    const session = await findSession(tx, sessionId);
    return session === undefined || hasEnded(session, now) ? undefined : rights;
  }
  return kind === 'open' ? rights : undefined;
}

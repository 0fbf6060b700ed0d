import type { AccountChange, AccountKey } from '@certloop/acme-server';
import { constraintViolation } from '@certloop/db';
import { cancelClientIssuances } from '../../issuance/clients/cancel-client-issuances.service.js';
import type { FrontDeps, FrontRequest } from '../front-deps.service.js';
import { type FrontAccount, frontAccountOf } from '../front-records.service.js';
import { listNewestFqdns } from '../orders/newest-orders.repository.js';
import { failOpenOrders } from '../orders/order-changes.repository.js';
import { endedProblem } from '../rules/order-problems.js';
import {
  type AccountOfClient,
  findAccountOfKey,
  findServerAccount,
  updateServerAccount,
} from './account-changes.repository.js';
import type { ServerAccountRow } from './server-accounts.repository.js';

export async function findFrontAccount(
  { db }: Pick<FrontDeps, 'db'>,
  id: string,
): Promise<FrontAccount | undefined> {
  if (!/^[\da-f-]{36}$/.test(id)) return undefined;
  return asFrontAccount(await db.read((tx) => findServerAccount(tx, id)));
}

/** The account that holds the key. */
export async function findFrontAccountOfKey(
  { db }: Pick<FrontDeps, 'db'>,
  thumbprint: string,
): Promise<FrontAccount | undefined> {
  return asFrontAccount(await db.read((tx) => findAccountOfKey(tx, thumbprint)));
}

function asFrontAccount(found: AccountOfClient | undefined): FrontAccount | undefined {
  return found && frontAccountOf(found.row, found.client);
}

/** The account after the change, undefined if it is not valid any more. A deactivated one has no open orders. */
export function changeFrontAccount(
  { db, clock, nonces, emit }: FrontDeps,
  request: FrontRequest,
  { row, client }: FrontAccount,
  { contacts, isDeactivated }: AccountChange,
): Promise<FrontAccount | undefined> {
  return db.transaction(async (tx) => {
    await nonces.useIn(tx, request);
    const now = clock.now();
    const change: Partial<ServerAccountRow> = {
      seenAt: now,
      ...(contacts !== undefined && { contacts }),
      ...(isDeactivated === true && { status: 'deactivated' as const }),
    };
    if (!(await updateServerAccount(tx, row, change))) return undefined;
    if (isDeactivated === true) {
      const reason = 'the account of the order was deactivated';
      const { clientId, id: accountId } = row;
      await cancelClientIssuances(tx, { clientId, accountId }, { reason, now });
      await failOpenOrders(tx, { accountId: row.id }, endedProblem, now);
      const fqdns = await listNewestFqdns(tx, { accountId: row.id });
      if (fqdns.length > 0) await emit.lineagesChanged(tx, { fqdns, cause: 'ended' });
    }
    return frontAccountOf({ ...row, ...change }, client);
  });
}

/** The account under its new key; undefined if its key changed meanwhile, or the new one got an account. */
export async function changeFrontKey(
  { db, nonces }: FrontDeps,
  request: FrontRequest,
  { row, client }: FrontAccount,
  { jwk, thumbprint }: AccountKey,
): Promise<FrontAccount | undefined> {
  try {
    return await db.transaction(async (tx) => {
      await nonces.useIn(tx, request);
      const change = { jwk, thumbprint };
      const isMine = await updateServerAccount(tx, row, change);
      return isMine ? frontAccountOf({ ...row, ...change }, client) : undefined;
    });
  } catch (error) {
    if (constraintViolation(error)?.kind === 'unique') return undefined;
    throw error;
  }
}

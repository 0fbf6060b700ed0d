import type { Tx } from '@certloop/db';
import type { DbDeps } from '../db-deps.js';
import type { DeletedScope } from '../fqdns/fqdns.service.js';
import { endServerAccounts } from './accounts/account-changes.repository.js';
import type { LineageEvents } from './lineages/lineage-events.service.js';
import { listNewestFqdns } from './orders/newest-orders.repository.js';
import { failOpenOrders } from './orders/order-changes.repository.js';
import { deletedProblem, endedProblem } from './rules/order-problems.js';

type WithClock = Pick<DbDeps, 'clock'>;

/** Ends the accounts of a deleted client, and its open orders. */
export async function endAccountsOfClient(
  tx: Tx,
  { client: { id: clientId } }: { readonly client: { readonly id: string } },
  { clock, emit }: WithClock & { readonly emit: LineageEvents },
): Promise<void> {
  await endServerAccounts(tx, { clientId });
  await failOpenOrders(tx, { clientId }, endedProblem, clock.now());
  const fqdns = await listNewestFqdns(tx, { clientId });
  if (fqdns.length > 0) await emit.lineagesChanged(tx, { fqdns, cause: 'ended' });
}

/** Makes the open orders of deleted FQDNs invalid. */
export async function endOrdersOfFqdns(
  tx: Tx,
  { scope }: { readonly scope: DeletedScope },
  { clock }: WithClock,
): Promise<void> {
  await failOpenOrders(tx, scope, deletedProblem, clock.now());
}

/** Ends the accounts of all clients of a deleted space, and its open orders. */
export async function endAccountsOfSpace(
  tx: Tx,
  { scope }: { readonly scope: { readonly spaceId: string } },
  { clock }: WithClock,
): Promise<void> {
  await endServerAccounts(tx, scope);
  await failOpenOrders(tx, scope, deletedProblem, clock.now());
}

import type { OrderPage } from '@certloop/acme-server';
import type { AcmeDeps } from '../acme-deps.service.js';
import type { Account, Order } from '../records/records.js';
import { statusNow } from './place-order.service.js';

/** Orders of the account that are not invalid, oldest first; undefined for a cursor that is none of them. */
export function pageOfOrders(
  deps: AcmeDeps,
  { id }: Account,
  { cursor, max }: OrderPage,
): Order[] | undefined {
  const all = deps.store.listOrders(id);
  const begin = cursor === undefined ? 0 : all.findIndex((order) => order.id === cursor);
  return begin < 0 ? undefined : firstShown(deps, all.slice(begin), max);
}

/** So many of the orders, those that are invalid omitted; the statuses of the others are not worked out. */
function firstShown(deps: AcmeDeps, orders: readonly Order[], max: number): Order[] {
  const shown: Order[] = [];
  for (const order of orders) {
    if (shown.length === max) break;
    if (statusNow(deps, order) !== 'invalid') shown.push(order);
  }
  return shown;
}

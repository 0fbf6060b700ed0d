import { createBoundedMap } from '../../authority/bounded-map.js';
import type { State } from '../../authority/state.store.js';
import { noteOf } from './noted-record.store.js';
import type { Order } from './records.js';

/** Ids of the orders of each account that is stored. */
export type OrderLists = Map<string, Set<string>>;

export function createOrdersStore(maxRecords: number, state: State, orderLists: OrderLists) {
  const orders = createBoundedMap<Order>({
    limit: maxRecords,
    weigh: ({ identifiers }) => identifiers.length,
    onDrop: ({ id, accountId }) => {
      state.drop('order', id);
      orderLists.get(accountId)?.delete(id);
    },
  });
  const insert = (order: Order) => {
    orders.insert(order.id, order);
    orderLists.get(order.accountId)?.add(order.id);
  };
  const noted = noteOf<Order>(state, 'order');

  for (const [, record] of state.load('order')) insert(resumed(record as Order));

  return {
    insertOrder: (order: Order) => insert(noted(order)),
    findOrder: (id: string) => noted(orders.get(id)),
    /** Oldest first. */
    listOrders: (accountId: string): Order[] =>
      [...(orderLists.get(accountId) ?? [])].flatMap((id) => orders.get(id) ?? []),
  };
}

/** An order whose certificate was being issued when the process ended is ready again: no client was given one. */
function resumed(order: Order): Order {
  if (order.certificateId === undefined && order.problem === undefined) order.finalizedAt = undefined;
  return order;
}

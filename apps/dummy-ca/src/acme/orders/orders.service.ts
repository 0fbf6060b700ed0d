import { type AcmeReply, accountOf, ok } from '@certloop/acme-server';
import {
  authorizationStatus,
  link,
  noSuch,
  orderProblem,
  orderStatus,
  orderView,
} from '@certloop/acme-server/rules';
import { type AcmeOrderStatus, AcmeProblem } from '@certloop/contracts';
import { ownAccount } from '../accounts/accounts.service.js';
import type { AcmeDeps, AcmeRequest } from '../acme-deps.service.js';
import type { Order } from '../records/records.js';

/** Status of an order at this moment; an authorization that was pushed out of memory has expired. */
export function statusOf({ store, clock }: Pick<AcmeDeps, 'store' | 'clock'>, order: Order): AcmeOrderStatus {
  const now = clock.now();
  const authorizations = order.authorizationIds.map((id) => {
    const authorization = store.findAuthorization(id);
    return authorization === undefined ? 'expired' : authorizationStatus(authorization, now);
  });
  return orderStatus({ ...order, authorizations }, now);
}

/** Order as it is (RFC 8555 §7.4). */
export async function showOrder(deps: AcmeDeps, request: AcmeRequest, id: string): Promise<AcmeReply> {
  return replyWith(deps, getOrder(deps, request, id), request);
}

export function replyWith(deps: AcmeDeps, order: Order, request: AcmeRequest): AcmeReply {
  const isUnderWay = ['pending', 'processing'].includes(statusOf(deps, order));
  return ok(viewOf(deps, order, request), {
    location: request.links.of('order', { id: order.id }),
    retryAfterSeconds: isUnderWay ? deps.settings.retryAfterSeconds : undefined,
  });
}

export function viewOf(deps: AcmeDeps, order: Order, { links }: AcmeRequest) {
  const status = statusOf(deps, order);
  const authorizations = order.authorizationIds.flatMap((id) => deps.store.findAuthorization(id) ?? []);
  const problem = status === 'invalid' ? orderProblem(order, authorizations, deps.clock.now()) : undefined;
  return orderView(order, { status, problem }, links);
}

/** The account's own. Throws `malformed` with status 404 if there is none, `unauthorized` for another's. */
export function getOrder({ store }: AcmeDeps, request: AcmeRequest, id: string): Order {
  const order = store.findOrder(id);
  if (order === undefined) throw noSuch('order');
  if (order.accountId === accountOf(request).id) return order;
  throw new AcmeProblem('unauthorized', 'the order belongs to another account');
}

/** One page of the account's orders, those that are invalid omitted (RFC 8555 §7.1.2.1). */
export async function listOrders(
  deps: AcmeDeps,
  request: AcmeRequest,
  { id, cursor }: { readonly id: string; readonly cursor: string | undefined },
): Promise<AcmeReply> {
  const account = ownAccount(request, id);
  const all = deps.store.listOrders(account.id);
  const begin = cursor === undefined ? 0 : all.findIndex((order) => order.id === cursor);
  if (begin < 0) throw noSuch('page');
  const { ordersPerPage } = deps.settings;
  // One more than the page has shows whether there is a next one.
  const shown = firstShown(deps, all.slice(begin), ordersPerPage + 1);
  const next = shown[ordersPerPage];
  const addresses = shown.slice(0, ordersPerPage).map((order) => request.links.of('order', { id: order.id }));
  const page = `${request.links.of('accountOrders', { id })}?cursor=`;
  return ok({ orders: addresses }, { links: next === undefined ? [] : [link(`${page}${next.id}`, 'next')] });
}

/** So many of the orders, those that are invalid omitted; the statuses of the others are not worked out. */
function firstShown(deps: AcmeDeps, orders: readonly Order[], max: number): Order[] {
  const shown: Order[] = [];
  for (const order of orders) {
    if (shown.length === max) break;
    if (statusOf(deps, order) !== 'invalid') shown.push(order);
  }
  return shown;
}

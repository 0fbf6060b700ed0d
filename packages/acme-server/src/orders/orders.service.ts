import { type AcmeOrderStatus, AcmeProblem } from '@certloop/contracts';
import { ownAccount } from '../accounts/accounts.service.js';
import type { AcmePorts, AcmeRecords } from '../ports.js';
import { link } from '../protocol/acme-links.js';
import { type AcmeReply, ok } from '../protocol/acme-reply.js';
import { noSuch } from '../protocol/problems.js';
import type { SignedRequest } from '../protocol/signed-request.js';
import { accountOf } from '../protocol/signed-requests.service.js';
import { judgeOrder } from '../records/order-status.js';
import { orderProblem } from './order-problem.js';
import { orderView } from './order-view.js';

/** Status of an order at this moment. */
export async function statusOf<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  order: T['order'],
): Promise<AcmeOrderStatus> {
  return judgeOrder(order, await ports.authorize(order), ports.clock.now());
}

/** Order as it is (RFC 8555 §7.4). */
export async function showOrder<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  id: string,
): Promise<AcmeReply> {
  return replyWith(ports, await getOrder(ports, request, id), request);
}

export async function replyWith<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  order: T['order'],
  request: SignedRequest<T['account']>,
): Promise<AcmeReply> {
  const view = await viewOf(ports, order, request);
  const isUnderWay = ['pending', 'processing'].includes(view.status);
  return ok(view, {
    location: request.links.of('order', { id: order.id }),
    retryAfterSeconds: order.retryAfterSeconds ?? (isUnderWay ? ports.settings.retryAfterSeconds : undefined),
  });
}

export async function viewOf<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  order: T['order'],
  { links }: SignedRequest<T['account']>,
) {
  const authorizations = await ports.authorize(order);
  const now = ports.clock.now();
  const status = judgeOrder(order, authorizations, now);
  const stored = authorizations.filter((each) => each !== undefined);
  const problem = status === 'invalid' ? orderProblem(order, stored, now) : undefined;
  return orderView(order, { status, problem }, links);
}

/** The account's own. Throws `malformed` with status 404 if there is none, `unauthorized` for another's. */
export async function getOrder<T extends AcmeRecords>(
  { store }: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  id: string,
): Promise<T['order']> {
  const order = await store.findOrder(request, id);
  if (order === undefined) throw noSuch('order');
  if (order.accountId === accountOf(request).id) return order;
  throw new AcmeProblem('unauthorized', 'the order belongs to another account');
}

/** One page of the account's orders, those that are invalid omitted (RFC 8555 §7.1.2.1). */
export async function listOrders<T extends AcmeRecords>(
  { store, settings }: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  { id, cursor }: { readonly id: string; readonly cursor: string | undefined },
): Promise<AcmeReply> {
  const account = ownAccount(request, id);
  const { ordersPerPage } = settings;
  // One more than the page has shows whether there is a next one.
  const shown = await store.listOrders(account, { cursor, max: ordersPerPage + 1 });
  if (shown === undefined) throw noSuch('page');
  const next = shown[ordersPerPage];
  const addresses = shown.slice(0, ordersPerPage).map((order) => request.links.of('order', { id: order.id }));
  const page = `${request.links.of('accountOrders', { id })}?cursor=`;
  return ok({ orders: addresses }, { links: next === undefined ? [] : [link(`${page}${next.id}`, 'next')] });
}

import type { OrderPage } from '@certloop/acme-server';
import type { Tx } from '@certloop/db';
import { findCertificate } from '../../certificates/certificates.repository.js';
import type { FrontDeps, FrontRequest } from '../front-deps.service.js';
import {
  type FrontCertificate,
  type FrontOrder,
  frontCertificateOf,
  frontOrderOf,
} from '../front-records.service.js';
import {
  findOrderOfCertificate,
  listAccountOrders,
  listOrdersByRenewalId,
} from '../orders/found-orders.repository.js';
import { findServerOrder } from '../orders/order-changes.repository.js';
import type { ServerOrderRow } from '../orders/server-orders.repository.js';

/** The order of the account that signed; undefined for another's. */
export async function findFrontOrder(
  { db }: Pick<FrontDeps, 'db'>,
  { account }: FrontRequest,
  id: string,
): Promise<FrontOrder | undefined> {
  if (!isUuid.test(id)) return undefined;
  const row = await db.read((tx) => findServerOrder(tx, id));
  return row !== undefined && row.accountId === account?.id ? frontOrderOf(row) : undefined;
}

const isUuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** A page of the orders of an account; undefined for a cursor that is none of them. */
export async function listFrontOrders(
  { db, clock }: Pick<FrontDeps, 'db' | 'clock'>,
  { id }: { readonly id: string },
  { cursor, max }: OrderPage,
): Promise<readonly FrontOrder[] | undefined> {
  if (cursor !== undefined && !isUuid.test(cursor)) return undefined;
  const rows = await db.read((tx) => listAccountOrders(tx, id, { cursor, max, now: clock.now() }));
  return rows?.map(frontOrderOf);
}

/** A certificate of the account that signed, until it expires; undefined for another's. */
export async function findFrontCertificate(
  { db, clock }: Pick<FrontDeps, 'db' | 'clock'>,
  { account }: FrontRequest,
  id: string,
): Promise<FrontCertificate | undefined> {
  if (account === undefined || !isUuid.test(id)) return undefined;
  return db.read(async (tx) => {
    const order = await findOrderOfCertificate(tx, account.id, id);
    if (order === undefined || (order.notAfter !== null && order.notAfter <= clock.now())) return undefined;
    return withCertificate(tx, order);
  });
}

/**
 * The certificate with the identifier of renewalInfo: with the order of the account that signed, else with one of another
 * account of its client. If the key of the certificate signed, with any order.
 */
export async function findByRenewalId(
  { db }: Pick<FrontDeps, 'db'>,
  { account }: FrontRequest,
  renewalId: string,
): Promise<FrontCertificate | undefined> {
  return db.read(async (tx) => {
    const orders = await listOrdersByRenewalId(tx, renewalId);
    const own = orders.find(({ accountId }) => accountId === account?.id);
    const others = orders.find(({ clientId }) => account === undefined || clientId === account.row.clientId);
    const order = own ?? others;
    return order && withCertificate(tx, order);
  });
}

async function withCertificate(tx: Tx, order: ServerOrderRow): Promise<FrontCertificate | undefined> {
  if (order.certificateId === null) return undefined;
  const stored = await findCertificate(tx, order.certificateId);
  return stored && frontCertificateOf(order, stored);
}

import { createHash } from 'node:crypto';
import type { OrderPage } from '@certloop/acme-server';
import { exportSpki } from '@certloop/crypto';
import type { Tx } from '@certloop/db';
import { findCertificate } from '../../certificates/certificates.repository.js';
import { findProvider } from '../../providers/providers.repository.js';
import type { FrontDeps, FrontRequest } from '../front-deps.service.js';
import {
  type FrontCertificate,
  type FrontOrder,
  frontCertificateOf,
  frontOrderOf,
} from '../front-records.service.js';
import {
  findOrderByKey,
  findOrderOfAccount,
  findOrderOfCertificate,
  findOrderOfClient,
  listAccountOrders,
} from '../orders/found-orders.repository.js';
import type { ServerOrderRow } from '../orders/server-orders.repository.js';
import { hasChain } from './download-chain.service.js';

/** The order of the account that signed; undefined for another's. */
export async function findFrontOrder(
  { nonces, clock }: Pick<FrontDeps, 'nonces' | 'clock'>,
  request: FrontRequest,
  id: string,
): Promise<FrontOrder | undefined> {
  const { account } = request;
  if (account === undefined || !isUuid.test(id)) return undefined;
  const row = await nonces.readFor(request, (tx) => findOrderOfAccount(tx, account.id, id));
  return row && frontOrderOf(row, clock.now());
}

const isUuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** A page of the orders of an account; undefined for a cursor that is none of them. */
export async function listFrontOrders(
  { db, clock }: Pick<FrontDeps, 'db' | 'clock'>,
  { id }: { readonly id: string },
  { cursor, max }: OrderPage,
): Promise<readonly FrontOrder[] | undefined> {
  if (cursor !== undefined && !isUuid.test(cursor)) return undefined;
  const now = clock.now();
  const rows = await db.read((tx) => listAccountOrders(tx, id, { cursor, max, now }));
  return rows?.map((row) => frontOrderOf(row, now));
}

/** A certificate of the account that signed, until it expires; undefined for another's. */
export async function findFrontCertificate(
  { nonces, clock }: Pick<FrontDeps, 'nonces' | 'clock'>,
  request: FrontRequest,
  id: string,
): Promise<FrontCertificate | undefined> {
  const { account } = request;
  if (account === undefined || !isUuid.test(id)) return undefined;
  return nonces.readFor(request, async (tx) => {
    const order = await findOrderOfCertificate(tx, account.id, id);
    if (order === undefined || (order.notAfter !== null && order.notAfter <= clock.now())) return undefined;
    const certificate = await withCertificate(tx, order);
    return certificate && withProvider(tx, certificate);
  });
}

/**
 * The certificate with the identifier of renewalInfo: with the order of the account that signed, else with one of another
 * account of its client. Without an account, only the key of the certificate itself finds it. What others have is not read, so
 * that neither the answer nor its time shows whether there is any.
 */
export async function findByRenewalId(
  { db }: Pick<FrontDeps, 'db'>,
  { account, key }: FrontRequest,
  renewalId: string,
): Promise<FrontCertificate | undefined> {
  return db.read(async (tx) => {
    const order =
      account === undefined
        ? await findOrderByKey(tx, renewalId, sha256(exportSpki(key)))
        : await findOrderOfClient(tx, renewalId, account.row);
    return order && withCertificate(tx, order);
  });
}

function sha256(octets: Uint8Array): string {
  return createHash('sha256').update(octets).digest('hex');
}

/** With its provider, if a download takes the root from that. */
async function withProvider(tx: Tx, certificate: FrontCertificate): Promise<FrontCertificate> {
  const { pem, providerId } = certificate.stored;
  if (providerId === null || hasChain(pem)) return certificate;
  return { ...certificate, rootProvider: await findProvider(tx, providerId) };
}

async function withCertificate(tx: Tx, order: ServerOrderRow): Promise<FrontCertificate | undefined> {
  if (order.certificateId === null) return undefined;
  const stored = await findCertificate(tx, order.certificateId);
  return stored && frontCertificateOf(order, stored);
}

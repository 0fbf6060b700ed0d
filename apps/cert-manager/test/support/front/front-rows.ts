import { randomUUID } from 'node:crypto';
import { insertMany, newRowId } from '@certloop/db';
import {
  acmeServerAccounts,
  type ServerAccountRow,
} from '../../../src/front/accounts/server-accounts.repository.js';
import { acmeServerOrders, type ServerOrderRow } from '../../../src/front/orders/server-orders.repository.js';
import type { Place } from '../factories.js';

const day = 86_400_000;

/** Inserts an account of an ACME client that does not exist, as given, the rest made up. */
export async function addServerAccount(
  { database, clock }: Place,
  account: Partial<ServerAccountRow> = {},
): Promise<ServerAccountRow> {
  const now = clock.now();
  const row: ServerAccountRow = {
    id: newRowId(now),
    clientId: randomUUID(),
    spaceId: randomUUID(),
    thumbprint: randomUUID(),
    jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
    contacts: [],
    binding: {},
    status: 'valid',
    createdAt: now,
    seenAt: now,
    userAgent: 'certbot/2.1',
    ipAddress: '10.0.0.7',
    ...account,
  };
  await database.transaction((tx) => insertMany(tx, acmeServerAccounts, [row]));
  return row;
}

/** Inserts an issued order of the account for one name, as given, the rest made up. */
export async function addServerOrder(
  { database, clock }: Place,
  account: Pick<ServerAccountRow, 'id' | 'clientId' | 'spaceId'>,
  order: Partial<ServerOrderRow> = {},
): Promise<ServerOrderRow> {
  const now = clock.now();
  const fqdn = order.fqdn ?? 'www.example.com';
  const row: ServerOrderRow = {
    id: newRowId(now),
    clientId: account.clientId,
    accountId: account.id,
    spaceId: account.spaceId,
    fqdnId: randomUUID(),
    fqdn,
    providerId: randomUUID(),
    identifiers: [{ type: 'dns', value: fqdn }],
    identifiersKey: fqdn,
    state: 'valid',
    replaces: null,
    replacedBy: null,
    csrId: null,
    issuanceId: null,
    keyKind: 'ECDSA',
    spkiSha256: null,
    lineage: fqdn,
    isNewest: true,
    certificateId: randomUUID(),
    renewalId: `${randomUUID()}.AQ`,
    notBefore: now,
    notAfter: new Date(now.getTime() + 90 * day),
    infoReadAt: null,
    infoWindowEnd: null,
    releasedAt: null,
    problem: null,
    userAgent: 'certbot/2.1',
    ipAddress: '10.0.0.7',
    createdAt: now,
    expiresAt: new Date(now.getTime() + day),
    finalizedAt: now,
    endedAt: now,
    ...order,
  };
  await database.transaction((tx) => insertMany(tx, acmeServerOrders, [row]));
  return row;
}

/** Columns of an order that ended without a certificate. */
export const failedOrder = {
  state: 'invalid',
  isNewest: false,
  certificateId: null,
  renewalId: null,
  notBefore: null,
  notAfter: null,
  problem: { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA forbids it', status: 403 },
} as const satisfies Partial<ServerOrderRow>;

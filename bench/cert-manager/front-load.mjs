// ACME clients of a space as programs use them: their keys, their accounts, and rows of earlier use.
import { randomUUID } from 'node:crypto';
import { acmeServerAccounts } from '../../apps/cert-manager/dist/src/front/accounts/server-accounts.repository.js';
import { acmeServerOrders } from '../../apps/cert-manager/dist/src/front/orders/server-orders.repository.js';
import { macJws } from '../../packages/crypto/dist/src/index.js';
import { openAcmeClient } from '../measuring/acme-load.mjs';
import { copyRows } from '../scale/copies.mjs';

/** An ACME client of the space with an external key: { kid, hmacKey }. */
export async function addAcmeClient({ client, providerId }, spaceId) {
  const { body } = await client.createAcmeClient({
    params: { spaceId },
    body: {
      name: `client-${randomUUID()}`,
      names: { suffixes: ['example.test'] },
      providerId,
      maxOrdersPerDay: 100_000,
      maxAccounts: 10_000,
    },
  });
  return body;
}

/** A program with an account of the ACME client. */
export function openProgram({ manager }, agent, { kid, hmacKey }) {
  const secret = Buffer.from(hmacKey, 'base64url');
  const bind = (url, jwk) => macJws(secret, { kid, url }, JSON.stringify(jwk));
  return openAcmeClient({ base: manager.url, agent, bind });
}

/** Copies the account and the order of the ACME client that was made first so often. */
export async function seedUse(place, { accounts, orders }) {
  const [{ id: accountId }] = await place.runSql('select id from acme_server_accounts');
  const [{ id: orderId }] = await place.runSql('select id from acme_server_orders');
  await copyRows(place, acmeServerAccounts, {
    where: `t.id = '${accountId}'`,
    count: accounts,
    change: ({ uuid, i }) => ({ id: uuid('0000acc0', i), thumbprint: `'copy-' || ${i}` }),
  });
  await copyRows(place, acmeServerOrders, {
    where: `t.id = '${orderId}'`,
    count: orders,
    change: ({ uuid, randomUuid, i }) => ({
      id: uuid('0000bead', i),
      accountId: uuid('0000acc0', `(${i} % ${accounts} + 1)`),
      fqdn: `'host-' || ${i} || '.example.test'`,
      fqdnId: randomUuid,
      identifiersKey: `'copy-' || ${i}`,
      lineage: `'copy-' || ${i}`,
      certificateId: randomUuid,
      issuanceId: randomUuid,
      renewalId: `'copy.' || ${i}`,
    }),
  });
}

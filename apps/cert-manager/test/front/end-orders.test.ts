import type { NewAcmeClient } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtInCaller, internalOrigin } from '../../src/access/caller.js';
import { findServerOrder } from '../../src/front/orders/order-changes.repository.js';
import { countAsked } from '../support/cas/concurrent-signing.js';
import { clientIssuances, finalizeOrder } from '../support/front/client-orders.js';
import { type FrontPlace, startFront } from '../support/front/front-place.js';
import { addServerAccount, addServerOrder } from '../support/front/front-rows.js';
import { addFqdn } from '../support/inventory.js';

describeEachDialect('open orders of an ACME client', (open) => {
  let place: FrontPlace;
  beforeAll(async () => {
    place = await startFront(open);
  });
  afterAll(() => place.close());

  const pathOf = ({ spaceId, id }: NewAcmeClient) => `/spaces/${spaceId}/acme-clients/${id}`;

  /** Orders for two names whose issuances are queued, and one that waits for the first of these. */
  const settle = async () => {
    const { app, provider } = place;
    const client = await place.addClient({ names: { suffixes: ['example.com', 'example.net'] } });
    const account = await addServerAccount(app, { clientId: client.id, spaceId: client.spaceId });
    const finalized = async (name: string) => {
      const fqdn = await addFqdn(app, client.spaceId, name);
      const caller = builtInCaller('cli', internalOrigin('finalize'));
      const ordering = { clientId: client.id, accountId: account.id, caller };
      const { orderId, issuance } = await finalizeOrder(app, {
        client: ordering,
        fqdn,
        providerId: provider.id,
      });
      const row = {
        fqdn: name,
        fqdnId: fqdn.id,
        state: 'processing',
        issuanceId: issuance.id,
        isNewest: false,
        certificateId: null,
        renewalId: null,
        notBefore: null,
        notAfter: null,
        endedAt: null,
      } as const;
      await addServerOrder(app, account, { ...row, id: orderId });
      return { id: orderId, row };
    };
    const [com, net] = [await finalized('www.example.com'), await finalized('www.example.net')];
    const joined = await addServerOrder(app, account, com.row);
    return { client, com: com.id, net: net.id, joined: joined.id };
  };
  const stateOf = async (id: string) => {
    const order = await place.app.database.read((tx) => findServerOrder(tx, id));
    return [order?.state, order?.problem?.type.split(':').at(-1)];
  };

  test('end with their issuances when a change takes their names away', async () => {
    const { app, ca } = place;
    const { client, com, net, joined } = await settle();
    const put = app.request.put(pathOf(client)).set(app.people.ada.auth);
    await put.send({ names: { suffixes: ['example.net'] } }).expect(200);
    expect(await stateOf(com)).toEqual(['invalid', 'rejectedIdentifier']);
    expect(await stateOf(joined)).toEqual(['invalid', 'rejectedIdentifier']);
    expect(await stateOf(net)).toEqual(['processing', undefined]);
    const asked = countAsked(ca);
    await app.recoverSigning();
    expect(countAsked(ca) - asked).toBe(1);
    expect(await stateOf(net)).toEqual(['valid', undefined]);
    expect(await stateOf(com)).toEqual(['invalid', 'rejectedIdentifier']);
  });

  test('end with their issuances when the client is deleted', async () => {
    const { app, ca } = place;
    const { client, com, net, joined } = await settle();
    await app.request.delete(pathOf(client)).set(app.people.ada.auth).expect(200);
    for (const id of [com, net, joined]) expect(await stateOf(id)).toEqual(['invalid', 'unauthorized']);
    const asked = countAsked(ca);
    await app.recoverSigning();
    expect(countAsked(ca) - asked).toBe(0);
    expect((await clientIssuances(app)).filter(({ clientId }) => clientId === client.id)).toEqual([]);
  });
});

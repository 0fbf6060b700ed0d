import { AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import type { AcmeOrder, AcmeProblemDocument } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { OrderMoment } from '../../src/acme/orders/order-steps.js';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { countAsked, letGo } from '../support/cas/concurrent-signing.js';
import { addAcmeClient } from '../support/front/acme-clients.js';
import { clientIssuances } from '../support/front/client-orders.js';
import { listenTo } from '../support/front/front-place.js';
import { addFqdn, addSpace, auditEntries } from '../support/inventory.js';
import { providerOf } from '../support/signing.js';

const hostname = 'www.example.com';

const deleted = {
  fqdn: {
    path: (spaceId: string, fqdnId: string) => `/spaces/${spaceId}/fqdns/${fqdnId}`,
    // the account goes on
    answer: {
      status: 200,
      body: { status: 'invalid', error: { detail: expect.stringContaining('was deleted in CertLoop') } },
    },
  },
  space: {
    path: (spaceId: string) => `/spaces/${spaceId}?deleteFqdns=true`,
    // the account has ended with its client
    answer: {
      status: 401,
      body: {
        type: 'urn:ietf:params:acme:error:unauthorized',
        detail: expect.stringContaining('was deleted'),
      },
    },
  },
} as const;
type Kind = keyof typeof deleted;

describeEachDialect('an order in work of an ACME client', (open) => {
  let place: OrderingPlace;
  let listener: Awaited<ReturnType<typeof listenTo>>;
  /** Where orders with the public CA wait until they are let on. */
  let heldAt: OrderMoment | undefined;
  let waiting: (() => void)[] = [];
  beforeAll(async () => {
    const atMoment = async (moment: OrderMoment) => {
      if (moment === heldAt) await new Promise<void>((resolve) => waiting.push(resolve));
    };
    place = await startOrdering(open, { orders: { atMoment } });
    listener = await listenTo(place.app);
  });
  const letOn = async () => {
    heldAt = undefined;
    for (const resolve of waiting) resolve();
    waiting = [];
    await letGo(place.ca);
  };
  afterEach(letOn);
  afterAll(async () => {
    await listener.close();
    await place.close();
  });

  /** An order that is placed for an FQDN of a space of its own. */
  const newOrder = async (kind: 'dummy-ca' | 'acme') => {
    const { app } = place;
    const space = await addSpace(app);
    const fqdn = await addFqdn(app, space.id, hostname);
    const { id: providerId } = await providerOf(app, kind);
    const client = await addAcmeClient(app, space.id, { providerId });
    const program = new AcmeClient(listener.base);
    await program.register({ externalAccountBinding: program.binding(client) });
    const placed = await program.order(dnsIdentifiers(hostname));
    const url = placed.headers.get('location') ?? '';
    return {
      fqdn,
      client,
      finalize: () => program.finalize(placed.body),
      read: () => program.post<AcmeOrder | AcmeProblemDocument>(url),
      remove: (what: Kind) =>
        app.request.delete(deleted[what].path(space.id, fqdn.id)).set(app.people.ada.auth).expect(200),
    };
  };
  const asked = () => countAsked(place.ca) + place.acme.orders.length;

  test.each<[Kind]>([['fqdn'], ['space']])(
    'is invalid when its %s is deleted before its CA is asked, which it is not any more',
    async (what) => {
      const { app, ca } = place;
      const { finalize, read, remove } = await newOrder('dummy-ca');
      ca.answer('with a fault');
      expect((await finalize()).body.status).toBe('processing');
      ca.answer('normally');
      const before = asked();
      await remove(what);
      expect(await read()).toMatchObject(deleted[what].answer);
      app.clock.advance(30_000);
      await app.recoverSigning();
      expect(await read()).toMatchObject(deleted[what].answer);
      expect(asked()).toBe(before);
      expect(await clientIssuances(app)).toEqual([]);
    },
  );

  test.each<[Kind, 'dummy-ca' | 'acme']>([
    ['fqdn', 'dummy-ca'],
    ['space', 'dummy-ca'],
    ['fqdn', 'acme'],
    ['space', 'acme'],
  ])(
    'is invalid when its %s is deleted while %s issues, whose certificate the audit log names',
    async (what, kind) => {
      const { app, ca } = place;
      const { client, fqdn, finalize, read, remove } = await newOrder(kind);
      const before = countAsked(ca);
      ca.answer('when let go');
      heldAt = 'finalized';
      const finalized = finalize();
      await until(() => countAsked(ca) > before || waiting.length > 0);
      await remove(what);
      expect(await read()).toMatchObject(deleted[what].answer);
      await letOn();
      expect(await finalized).toMatchObject({
        status: 200,
        body: { status: 'invalid', error: deleted.fqdn.answer.body.error },
      });
      await app.recoverSigning();
      expect(await read()).toMatchObject(deleted[what].answer);
      const lost = (await auditEntries(app, 'certificate.issue')).filter(
        ({ resourceId }) => resourceId === fqdn.id,
      );
      expect(lost).toMatchObject([
        {
          username: `acme:${client.name}`,
          outcome: 'failure',
          details: {
            clientId: client.id,
            serial: expect.stringMatching(/^[0-9a-f]{2,40}$/),
            reason: expect.stringContaining('issued, but not stored'),
          },
        },
      ]);
    },
  );
});

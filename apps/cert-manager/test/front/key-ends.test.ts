import { AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import type { AcmeOrder, AcmeProblemDocument, NewAcmeClient } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FrontPlace, startFront } from '../support/front/front-place.js';
import { auditEntries } from '../support/inventory.js';

const day = 86_400_000;

describeEachDialect('the key of an ACME client and its accounts', (open) => {
  let place: FrontPlace;
  beforeAll(async () => {
    place = await startFront(open);
  });
  afterAll(() => place.close());

  const pathOf = ({ spaceId, id }: NewAcmeClient) => `/spaces/${spaceId}/acme-clients/${id}`;
  const { put, rekey, remove } = {
    put: (client: NewAcmeClient, body: object) =>
      place.app.request.put(pathOf(client)).set(place.app.people.ada.auth).send(body).expect(200),
    rekey: (client: NewAcmeClient) =>
      place.app.request
        .post(`${pathOf(client)}/key`)
        .set(place.app.people.ada.auth)
        .expect(200),
    remove: (client: NewAcmeClient) =>
      place.app.request.delete(pathOf(client)).set(place.app.people.ada.auth).expect(200),
  };
  const bind = async (key: { kid: string; hmacKey: string }, header: object = {}) => {
    const program = new AcmeClient(place.base);
    const externalAccountBinding = program.binding(key, { ...header });
    return program.register({ externalAccountBinding });
  };

  test('is refused by one answer whether it is unknown, former, deleted or wrong', async () => {
    const client = await place.addClient();
    const former = await place.addClient();
    const { body: renewed } = await rekey(former);
    const deleted = await place.addClient();
    await remove(deleted);
    const keys: Readonly<Record<string, { kid: string; hmacKey: string }>> = {
      'an unknown identifier': { kid: 'AAAAAAAAAAAAAAAA', hmacKey: client.hmacKey },
      'an identifier of another form': { kid: `${'x'.repeat(2000)}`, hmacKey: client.hmacKey },
      'a former key': former,
      'a former key under the new identifier': { kid: renewed.kid, hmacKey: former.hmacKey },
      'the key of a deleted client': deleted,
      'the key of another client': { kid: client.kid, hmacKey: renewed.hmacKey },
      'an empty key': { kid: client.kid, hmacKey: '' },
    };
    const answers: Record<string, unknown> = {};
    for (const [name, key] of Object.entries(keys)) {
      const { status, body } = await bind(key);
      answers[name] = { status, body };
    }
    const refusal = {
      status: 403,
      body: expect.objectContaining({
        type: 'urn:ietf:params:acme:error:unauthorized',
        detail: 'the external account is unknown or its MAC is wrong',
      }),
    };
    expect(answers).toEqual(Object.fromEntries(Object.keys(keys).map((name) => [name, refusal])));
    expect((await bind(renewed)).status).toBe(201);
  });

  test('a new key leaves accounts that are bound as they are', async () => {
    const { client, program } = await place.addProgram();
    await rekey(client);
    expect((await program.order(dnsIdentifiers('rekeyed.example.com'))).status).toBe(201);
  });

  test('a change that takes names away counts at once, also for an order that is placed', async () => {
    const { client, program } = await place.addProgram({
      names: { suffixes: ['example.com', 'example.net'] },
    });
    const { body: placed } = await program.order(dnsIdentifiers('narrowed.example.com'));
    await put(client, { names: { suffixes: ['example.net'] } });
    const refusals = [
      await program.finalize(placed),
      await program.order(dnsIdentifiers('other.example.com')),
    ];
    for (const { status, body } of refusals) {
      expect({ status, body: body as unknown as AcmeProblemDocument }).toMatchObject({
        status: 400,
        body: { type: 'urn:ietf:params:acme:error:rejectedIdentifier' },
      });
    }
    const { body: order } = await program.post<AcmeOrder>(placed.finalize.replace(/\/finalize$/, ''));
    expect(order.status).toBe('invalid');
    expect((await program.order(dnsIdentifiers('other.example.net'))).status).toBe(201);
  });

  test.each<[string, object, RegExp]>([
    ['addresses', { allowedCidrs: ['10.0.0.0/8'] }, /may not be used from 127\.0\.0\.1/],
    ['an end', { expiresAt: 'in a day' }, /has expired/],
  ])('a change of its %s ends what its accounts may do, and is audited', async (_, change, reason) => {
    const { client, program } = await place.addProgram();
    const isEnd = 'expiresAt' in change;
    const expiresAt = new Date(place.app.clock.now().getTime() + day).toISOString();
    await put(client, isEnd ? { expiresAt } : change);
    if (isEnd) place.app.clock.advance(day);
    const { status, body } = await program.order(dnsIdentifiers('late.example.com'));
    expect({ status, body: body as unknown }).toMatchObject({
      status: 401,
      body: { type: 'urn:ietf:params:acme:error:unauthorized', detail: expect.stringMatching(reason) },
    });
    const bound = await bind(client);
    expect([bound.status, (bound.body as AcmeProblemDocument).detail]).toEqual([
      403,
      expect.stringMatching(reason),
    ]);
    const denied = await auditEntries(place.app, 'access.denied');
    expect(denied.at(-1)).toMatchObject({
      resourceId: client.id,
      spaceId: client.spaceId,
      ipAddress: '127.0.0.1',
    });
    // of one who tries again and again, the log has one entry a minute
    for (let count = 0; count < 3; count += 1) expect((await bind(client)).status).toBe(403);
    const bindings = await auditEntries(place.app, 'acme_client.bind');
    const refused = bindings.filter(
      ({ resourceId, outcome }) => resourceId === client.id && outcome !== 'success',
    );
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({
      resourceId: client.id,
      details: { outcome: 'failure', reason: expect.stringMatching(reason), subject: client.name },
    });
  });

  test('its deletion ends its accounts and orders at once, and leaves its certificates', async () => {
    const { client, program } = await place.addProgram();
    const { order } = await program.issue(dnsIdentifiers('remaining.example.com'));
    const { body: ready } = await program.order(dnsIdentifiers('open.example.com'));
    await remove(client);
    const answers = [
      await program.finalize(ready),
      await program.order(dnsIdentifiers('new.example.com')),
      await program.post(order.certificate ?? ''),
      await program.post(`${program.kid}/orders`),
      await program.post(program.kid),
    ];
    for (const { status, body } of answers) {
      expect({ status, type: (body as { type?: string }).type }).toEqual({
        status: 401,
        type: 'urn:ietf:params:acme:error:unauthorized',
      });
    }
    const { body: fqdns } = await place.app.request
      .get(`/spaces/${client.spaceId}/fqdns?include=status`)
      .set(place.app.people.ada.auth)
      .expect(200);
    const remaining = fqdns.find(({ fqdn }: { fqdn: string }) => fqdn === 'remaining.example.com');
    const certificates = await place.app.request
      .get(`/spaces/${client.spaceId}/fqdns/${remaining.id}/certificates`)
      .set(place.app.people.ada.auth)
      .expect(200);
    expect(certificates.body).toHaveLength(1);
  });
});
